// What the words in the search box may mean, as the API tells it.
import type { Answers } from "./endpoints.ts";

export type SearchHit = Answers["GET /search"]["items"][number];
