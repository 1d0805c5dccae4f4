// What the tests of the console's lists look at: messages of two accounts, accepted by the real
// intake.
import { type TestApi, keys } from "../../support/test-api.ts";

export interface SentMessage {
  readonly sentMessageId: string;
  readonly batchId: string;
}

export async function send(
  api: TestApi,
  recipientNumber: string,
  { key = keys.demo, content = "secret code 1234" }: { readonly key?: string; readonly content?: string } = {},
): Promise<SentMessage> {
  const payload = { senderNumber: "10001234", recipientNumber, content };
  const { status, body, text } = await api.call("POST", "/messages/send", { key, payload });
  if (status !== 200) throw new Error(text);
  return { sentMessageId: body.message.sentMessageId, batchId: body.batchId };
}

interface List {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly nextCursor?: string;
}

/** All items of a list, page by page. */
export async function allPages(read: (query: string) => Promise<{ body: Record<string, unknown> }>, count: number) {
  const items: Readonly<Record<string, unknown>>[] = [];
  let after = "";
  for (let page = 0; page < 100; page += 1) {
    const body = (await read(`count=${count}${after}`)).body as unknown as List;
    if (body.items.length > count) throw new Error("a page is too long");
    items.push(...body.items);
    if (body.nextCursor === undefined) return items;
    after = `&after=${body.nextCursor}`;
  }
  throw new Error("the list has no end");
}
