// Keys of calls that must not happen twice. `randomUUID` is there only behind https and on this
// machine.

export function newKey(): string {
  const octets = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(octets, (octet) => octet.toString(16).padStart(2, "0")).join("");
}
