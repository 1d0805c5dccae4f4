// A replay under way: which events of the log are still to be sent again. Only its place is stored.
import type { LogPage, LogRow, Position } from "../store/event-log.ts";
import type { Replay } from "../store/webhook-progress.ts";
import { SettledPlaces } from "./settled-places.ts";

export class ReplayReading {
  readonly replay: Replay;
  readonly places: SettledPlaces;
  #rows: LogRow[] = [];
  #readTo: Position;
  #isReadToEnd = false;
  #saved: Position;

  constructor(replay: Replay) {
    this.replay = replay;
    this.places = new SettledPlaces(replay.position);
    this.#readTo = replay.position;
    this.#saved = replay.position;
  }

  get isToSave(): boolean {
    return this.places.settled !== this.#saved;
  }

  isSaved(): void {
    this.#saved = this.places.settled;
  }

  get length(): number {
    return this.#rows.length;
  }

  get readTo(): Position {
    return this.#readTo;
  }

  get isReadToEnd(): boolean {
    return this.#isReadToEnd;
  }

  add({ rows, position }: Pick<LogPage, "rows" | "position">, isEnd: boolean): void {
    this.#rows.push(...rows);
    this.#readTo = position;
    this.#isReadToEnd = isEnd;
  }

  take(count: number): readonly LogRow[] {
    return this.#rows.splice(0, count);
  }

  drop(): void {
    this.#rows = [];
    this.#readTo = this.places.begun;
    this.#isReadToEnd = false;
  }
}
