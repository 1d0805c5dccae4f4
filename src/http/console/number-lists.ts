// The lists of numbers that nothing is sent to where a rule names them, by the path of
// `hodhod block-list`: the lists, whether a number is on one, putting it on and taking it off.
// Whole lists are imported and deleted by the command.
import { followChange } from "../error-response.ts";
import { orAbsent } from "../json-schema.ts";
import { ApiError } from "../../texts/errors.ts";
import { addToBlockList, readBlockListUses, removeFromBlockList } from "../../setup/change-number-lists.ts";
import {
  findBlockList,
  findPortedNumber,
  isListed,
  listBlockLists,
  listedNumbers,
  listKnownPorted,
} from "../../store/number-lists.ts";
import { type ConsoleEndpoints, pageFrom, pageParameters } from "./console-endpoint.ts";
import type { ConsoleCall } from "./console-call.ts";
import { mobile, numberIn } from "./console-input.ts";
import { CommandFailed } from "../../platform/command-failed.ts";

const numberParameters = {
  ...pageParameters,
  after: orAbsent(mobile()),
  number: orAbsent(mobile("Only this number, in any form.")),
};

/** Throws 404 for a list that is not there. */
async function change(call: ConsoleCall, isListed: boolean) {
  const wanted = { name: call.path("name"), number: numberIn(call.path("number")), by: call.actor };
  const make = isListed ? addToBlockList : removeFromBlockList;
  const version = await make(call.changes, wanted).catch((error: unknown) => {
    throw error instanceof CommandFailed ? ApiError.notThere() : error;
  });
  await followChange(call);
  return { number: wanted.number, isListed, changed: version !== undefined };
}

export const blockListEndpoints = {
  "GET /block-lists": {
    needs: "readService",
    summary: "The block lists",
    description: "All of them, in the order of their names, with how many numbers they have and where they count.",
    handle: (call) =>
      call.reads.transaction(async (tx) => {
        const uses = await readBlockListUses(tx);
        const lists = await listBlockLists(tx);
        const items = lists.map(({ name, numbers, updatedAt }) => ({ name, numbers, updatedAt, ...uses.get(name) }));
        return { items };
      }),
  },
  "GET /block-lists/{name}/numbers": {
    needs: "readService",
    summary: "The numbers of a block list",
    description: "In their order.",
    query: numberParameters,
    handle: async (call) => {
      const { after, count, number: wanted } = call.readQuery(numberParameters);
      const list = await findBlockList(call.reads, call.path("name"));
      if (list === undefined) throw ApiError.notThere();
      if (wanted !== undefined)
        return { items: (await isListed(call.reads, list.id, wanted)) ? [{ number: wanted }] : [] };
      const found = await listedNumbers.listNumbers(call.reads, { after, limit: count + 1, owner: list.id });
      return pageFrom(
        found,
        count,
        ({ number }) => number,
        ({ number }) => ({ number }),
      );
    },
  },
  "GET /block-lists/{name}/numbers/{number}": {
    needs: "readService",
    summary: "Whether a number is on a block list",
    handle: async (call) => {
      const number = numberIn(call.path("number"));
      const list = await findBlockList(call.reads, call.path("name"));
      if (list === undefined) throw ApiError.notThere();
      return { number, isListed: await isListed(call.reads, list.id, number) };
    },
  },
  "PUT /block-lists/{name}/numbers/{number}": {
    needs: "changeNetwork",
    summary: "Put a number on a block list",
    description: "Counts at once for calls to this node, within a second for others. What was accepted before is sent.",
    handle: (call) => change(call, true),
  },
  "DELETE /block-lists/{name}/numbers/{number}": {
    needs: "changeNetwork",
    summary: "Take a number off a block list",
    handle: (call) => change(call, false),
  },
} satisfies ConsoleEndpoints;

// GET ported-numbers: those of the setup and those that were imported, as nodes know them, in the
// order of numbers. Changes of single ones are in configured-objects.ts.

/** There may be millions. */
export const portedNumberList = {
  "GET /ported-numbers": {
    needs: "readService",
    summary: "List the ported numbers",
    query: numberParameters,
    handle: async (call) => {
      const { after, count, number } = call.readQuery(numberParameters);
      if (number !== undefined) {
        const found = await findPortedNumber(call.reads, number);
        return { items: found === undefined ? [] : [found] };
      }
      const found = await listKnownPorted(call.reads, { after, limit: count + 1 });
      return pageFrom(
        found,
        count,
        ({ number }) => number,
        (each) => each,
      );
    },
  },
} satisfies ConsoleEndpoints;
