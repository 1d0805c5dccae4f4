// Items by size with fast access to the largest. A binary heap in which every item knows its place,
// so that a change of size takes logarithmic time. Pure.

export interface Sized {
  size: number;
  /** The item's index in the heap, set by the heap; -1 outside it. */
  place: number;
}

export class LargestFirst<Item extends Sized> {
  readonly #items: Item[] = [];

  get largest(): Item | undefined {
    return this.#items[0];
  }

  add(item: Item): void {
    item.place = this.#items.length;
    this.#items.push(item);
    this.moved(item);
  }

  remove(item: Item): void {
    const last = this.#items.pop();
    if (last !== undefined && last !== item) {
      this.#put(last, item.place);
      this.moved(last);
    }
    item.place = -1;
  }

  /** Call it when the size of the item has changed. */
  moved(item: Item): void {
    this.#sink(item, this.#rise(item));
  }

  #rise(item: Item): number {
    let { place } = item;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#items[above];
      if (parent === undefined || parent.size >= item.size) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(item, place);
    return place;
  }

  #sink(item: Item, from: number): void {
    let place = from;
    for (;;) {
      const child = this.#largerChild(place);
      if (child === undefined || child.size <= item.size) break;
      const below = child.place;
      this.#put(child, place);
      place = below;
    }
    this.#put(item, place);
  }

  #largerChild(place: number): Item | undefined {
    const left = this.#items[2 * place + 1];
    const right = this.#items[2 * place + 2];
    return right !== undefined && left !== undefined && right.size > left.size ? right : left;
  }

  #put(item: Item, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }
}
