// One JSON list of what is read page by page, written as it is read: it may be longer than memory.
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
