// Two sides of a conversation, joined without a channel.
import { describe, expect, it } from "vitest";
import { Conversation, NoAnswer } from "../../src/workers/conversation.ts";

type Talk = Conversation<string, string, string, string>;

function pair(
  answer: (question: string) => Promise<unknown>,
  unread = { count: 0 },
): { us: Talk; them: Talk; heard: string[] } {
  const heard: string[] = [];
  const us: Talk = new Conversation({
    send: (message) => queueMicrotask(() => them.receive(structuredClone(message))),
    unread: () => unread.count,
    answer: () => Promise.reject(new Error("nobody asks us")),
    hear: () => undefined,
  });
  const them: Talk = new Conversation({
    send: (message) => queueMicrotask(() => us.receive(structuredClone(message))),
    unread: () => 0,
    answer,
    hear: (news) => heard.push(news),
  });
  return { us, them, heard };
}

describe("a conversation", () => {
  it("answers each question with its own answer, in any order", async () => {
    const later: (() => void)[] = [];
    const { us } = pair((question) => new Promise((resolve) => later.push(() => resolve(question.toUpperCase()))));
    const answers = Promise.all(["a", "b", "c"].map((each) => us.ask(each)));
    await Promise.resolve();
    for (const answer of later.reverse()) answer();
    expect(await answers).toEqual(["A", "B", "C"]);
  });

  it("tells a refusal to who asked, and news to the other side", async () => {
    const { us, heard } = pair((question) => Promise.reject(new Error(`no ${question}`)));
    us.tell("hello");
    await expect(us.ask("way")).rejects.toThrow("no way");
    expect(heard).toEqual(["hello"]);
  });

  it("gives up what is not answered in time, and forgets an answer that comes later", async () => {
    const { us, them } = pair(() => new Promise(() => undefined));
    await expect(us.ask("a", 1)).rejects.toThrow(NoAnswer);
    us.receive({ kind: "answer", id: 1, value: "late" });
    expect(them.isOver).toBe(false);
  });

  it("rejects all questions when the other side has gone, and those asked afterwards", async () => {
    const { us } = pair(() => new Promise(() => undefined));
    const asked = us.ask("a");
    us.end();
    await expect(asked).rejects.toThrow(NoAnswer);
    await expect(us.ask("b")).rejects.toThrow(NoAnswer);
  });

  it("hears nothing of a side that has gone", async () => {
    const { us, them, heard } = pair(async () => "answered");
    const asked = us.ask("a", 20);
    us.tell("late");
    them.end();
    await expect(asked).rejects.toThrow(NoAnswer);
    expect(heard).toEqual([]);
  });

  it("gives no hints to a side that does not read, and tells it the rest", async () => {
    const unread = { count: 50 };
    const { us, heard } = pair(async () => "answered", unread);
    us.hint("lost");
    us.tell("told");
    unread.count = 49;
    us.hint("hinted");
    await us.ask("a");
    expect(heard).toEqual(["told", "hinted"]);
  });
});
