// Opens the connections to endpoints, only to addresses that the rules allow. It judges the address
// that it really connects to, whatever the name led to before. Names are looked up by c-ares, which
// uses none of the threads that files and passwords need. Names that only this machine knows are
// looked up one at a time.
import { lookup as askMachine, Resolver } from "node:dns/promises";
import type { LookupAddress } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { buildConnector } from "undici";
import { Semaphore } from "../platform/semaphore.ts";
import type { AddressRules } from "./address-rules.ts";

/** The address is none that events may be sent to. */
class AddressRefused extends Error {
  readonly code = "ADDRESS_REFUSED";
}

export type Resolve = (hostname: string) => Promise<readonly string[]>;

const resolver = new Resolver({ timeout: 3_000, tries: 2 });
const notInDns: ReadonlySet<unknown> = new Set(["ENOTFOUND", "ENODATA"]);

/**
 * Of names that only this machine knows, one is looked up at a time, as long as a request may take: the
 * owner of a name decides how long that takes, and a few would take all threads of the process.
 */
const machine = new Semaphore({ total: 1, waitMs: 15_000 });

async function lookUpOnMachine(hostname: string): Promise<readonly string[]> {
  const found = await machine.run("", () => askMachine(hostname, { all: true }));
  return found.map(({ address }) => address);
}

/** IPv4 first. One of them may lead nowhere: the connector tries them in turn. */
export async function resolveName(hostname: string): Promise<readonly string[]> {
  const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  const addresses = found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
  if (addresses.length > 0) return addresses;
  const failures = found.flatMap((each) => (each.status === "rejected" ? [each.reason as NodeJS.ErrnoException] : []));
  const other = failures.find(({ code }) => !notInDns.has(code));
  if (other !== undefined) throw other;
  return lookUpOnMachine(hostname);
}

/** So many addresses of a name get their time within that of the connection. */
const addressesTried = 4;

export interface VettedConnectorOptions {
  readonly rules: AddressRules;
  readonly timeoutMs: number;
  readonly resolve?: Resolve | undefined;
  /** More certificates that are trusted; for tests. */
  readonly ca?: string | undefined;
}

/** For undici. http goes only to addresses that the operator allows. */
export function vettedConnector({
  rules,
  timeoutMs,
  resolve = resolveName,
  ca,
}: VettedConnectorOptions): buildConnector.connector {
  const admits = (address: string, isSecure: boolean): boolean => {
    const verdict = rules.judge(address);
    return verdict === "allowed" || (isSecure && verdict === "public");
  };
  const connectorFor = (isSecure: boolean): buildConnector.connector => {
    const lookup: LookupFunction = (hostname, options, done) => {
      resolve(hostname).then(
        (found) => {
          const admitted = found.filter((address) => admits(address, isSecure));
          const [first] = admitted;
          if (first === undefined) done(new AddressRefused("the name leads to no address that is admitted"), "");
          else if (options.all === true) done(null, admitted.map(asLookedUp));
          else done(null, first, isIP(first));
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), ""),
      );
    };
    // Given, so that no variable of the environment can switch the check of certificates off.
    return buildConnector({
      timeout: timeoutMs,
      lookup,
      rejectUnauthorized: true,
      autoSelectFamily: true,
      // Node.js gives each address up after 250 ms, which is less than the way to a distant one takes.
      autoSelectFamilyAttemptTimeout: Math.ceil(timeoutMs / addressesTried),
      ...(ca && { ca }),
    });
  };
  const [secure, plain] = [connectorFor(true), connectorFor(false)];
  return (options, done) => {
    const isSecure = options.protocol === "https:";
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    // Node.js looks only names up.
    if (isIP(literal) !== 0 && !admits(literal, isSecure))
      done(new AddressRefused("the address is not admitted"), null);
    else (isSecure ? secure : plain)(options, done);
  };
}

function asLookedUp(address: string): LookupAddress {
  return { address, family: isIP(address) };
}
