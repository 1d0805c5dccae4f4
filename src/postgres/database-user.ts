// The user for the embedded database when root starts it: an id that no user and no other process
// has, kept for the data folder. Needs no entry in the user list, and creates none.
import { randomInt } from "node:crypto";
import { constants, lstatSync } from "node:fs";
import path from "node:path";
import { readRegularFile, replaceFile } from "../platform/trusted-file.ts";
import { idsOfProcesses, isListedUser, isTaken, nobody, type UserId } from "./user-list.ts";

const recordName = "postgres.uid";
/**
 * Above the ids that systems assign to users in sequence, below those of nobody and of containers.
 */
const lowestId = 20_000;
const highestId = 59_999;

/**
 * The recorded id; else the owner, if the data belongs to an ordinary user; else a new id. A
 * recorded id that has since appeared in the user list is replaced.
 */
export function databaseUser(dataDir: string, folder: string): UserId {
  const recorded = recordedId(dataDir);
  if (recorded !== undefined && !isListedUser(recorded)) return { uid: recorded, gid: recorded };
  const owner = ownerOf(folder) ?? ownerOf(dataDir);
  if (recorded === undefined && owner !== undefined && owner.uid !== 0 && owner.uid !== nobody) return owner;
  const id = freeId();
  record(dataDir, id);
  return { uid: id, gid: id };
}

/** The id that is recorded for this data folder. */
export function recordedId(dataDir: string): number | undefined {
  const us = process.getuid?.();
  const text = readRegularFile(path.join(dataDir, recordName), {
    mostBytes: 64,
    flags: constants.O_NOFOLLOW,
    refuse: ({ uid, nlink }) =>
      uid === us && nlink === 1 ? undefined : "belongs to another user or has a second name (a hard link)",
  })?.toString();
  const id = Number(text);
  return text !== undefined && Number.isInteger(id) && id >= lowestId && id <= highestId ? id : undefined;
}

function record(dataDir: string, id: number): void {
  replaceFile(path.join(dataDir, recordName), `${id}\n`);
}

/** Random, so that two gateways that start together do not choose the same id. */
function freeId(): number {
  const used = idsOfProcesses();
  for (let round = 0; round < 100; round += 1) {
    const id = randomInt(lowestId, highestId + 1);
    if (!used.has(id) && !isTaken(id)) return id;
  }
  throw new Error(`no user id from ${lowestId} to ${highestId} is free for the embedded database`);
}

export function ownerOf(folder: string): UserId | undefined {
  const stat = lstatSync(folder, { throwIfNoEntry: false });
  return stat && { uid: stat.uid, gid: stat.gid };
}
