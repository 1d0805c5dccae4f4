// An immutable map of many entries. The next one shares with it all buckets that did not change, so
// a change costs as much as it changes. Pure.

const bucketCount = 1024;

type Key = string | number;
type Buckets<K, V> = readonly (ReadonlyMap<K, V> | undefined)[];

/** In no order of its entries. */
export class BucketMap<K extends Key, V> {
  readonly size: number;
  readonly #buckets: Buckets<K, V>;

  /** For drafts; others begin with `empty`. */
  constructor(buckets: Buckets<K, V>, size: number) {
    this.#buckets = buckets;
    this.size = size;
  }

  static empty<K extends Key, V>(): BucketMap<K, V> {
    return new BucketMap<K, V>(
      Array.from({ length: bucketCount }, () => undefined),
      0,
    );
  }

  get(key: K): V | undefined {
    return this.#buckets[bucketOf(key)]?.get(key);
  }

  *keys(): MapIterator<K> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield* bucket.keys();
  }

  *values(): MapIterator<V> {
    for (const bucket of this.#buckets) if (bucket !== undefined) yield* bucket.values();
  }

  /** For the map that follows this one, which stays as it is. */
  edit(): BucketMapDraft<K, V> {
    return new BucketMapDraft(this.#buckets, this.size);
  }
}

/** Copies a bucket when its first entry changes. */
export class BucketMapDraft<K extends Key, V> {
  readonly #buckets: (ReadonlyMap<K, V> | undefined)[];
  /** The buckets that no map shares. */
  readonly #own = new Map<number, Map<K, V>>();
  #size: number;

  constructor(buckets: Buckets<K, V>, size: number) {
    this.#buckets = [...buckets];
    this.#size = size;
  }

  get(key: K): V | undefined {
    return this.#buckets[bucketOf(key)]?.get(key);
  }

  set(key: K, value: V): void {
    const bucket = this.#ownBucket(bucketOf(key));
    this.#size -= bucket.size;
    bucket.set(key, value);
    this.#size += bucket.size;
  }

  delete(key: K): void {
    const index = bucketOf(key);
    if (this.#buckets[index]?.has(key) !== true) return;
    this.#ownBucket(index).delete(key);
    this.#size -= 1;
  }

  /** The draft must not be used afterwards. */
  finish(): BucketMap<K, V> {
    return new BucketMap(this.#buckets, this.#size);
  }

  #ownBucket(index: number): Map<K, V> {
    let bucket = this.#own.get(index);
    if (bucket === undefined) {
      bucket = new Map(this.#buckets[index]);
      this.#own.set(index, bucket);
      this.#buckets[index] = bucket;
    }
    return bucket;
  }
}

function bucketOf(key: Key): number {
  if (typeof key === "number") return key % bucketCount;
  // FNV-1a
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 16)) & (bucketCount - 1);
}
