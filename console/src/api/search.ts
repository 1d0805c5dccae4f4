// What the words in the search box may mean, as the API tells it.

export interface SearchHit {
  readonly kind: "message" | "batch" | "recipient" | "account" | "campaign" | "operatorId";
  readonly name: string;
  /** Below /console. */
  readonly path: string;
  readonly account?: string;
  readonly connector?: string;
  readonly at?: string;
}
