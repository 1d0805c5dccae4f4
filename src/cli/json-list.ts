// Writes one JSON list page by page, because the list may be larger than memory.
import { print, toJson, type CommandContext } from "./command-context.ts";

export async function writeJsonList<Item>(
  context: CommandContext,
  pages: AsyncIterable<readonly Item[]>,
  valueOf: (item: Item) => object,
): Promise<void> {
  let separator = "[";
  for await (const page of pages) {
    for (const item of page) {
      context.stdout.write(separator + toJson(valueOf(item)));
      separator = ",\n";
    }
  }
  print(context, separator === "[" ? "[]" : "]");
}
