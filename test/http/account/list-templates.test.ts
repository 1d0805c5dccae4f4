import { expect, it } from "vitest";
import { applyDocument } from "../../support/apply-document.ts";
import { keys, ownTestApi } from "../../support/test-api.ts";

it("GET templates lists the account's own, and 1107 says why one cannot be used", async () => {
  const api = await ownTestApi();
  const refused = { id: "Refused", account: "demo", content: "Win {prize}", refused: "advertising" };
  await applyDocument(api.db, { templates: [refused] });
  await api.directory.refresh();
  const { text } = await api.call("GET", "/templates", { key: keys.demo });
  const { templates } = JSON.parse(text) as { templates: readonly { id: string }[] };
  const find = (id: string) => templates.find((template) => template.id === id);
  expect(templates.map(({ id }) => id)).toEqual(templates.map(({ id }) => id).toSorted());
  expect(find("Unapproved")).toEqual({
    id: "Unapproved",
    state: "pending",
    content: "Code {code}",
    parameters: ["code"],
  });
  expect(find("Refused")).toMatchObject({ state: "refused", reason: "advertising", parameters: ["prize"] });
  expect((await api.call("GET", "/templates", { key: keys.textOnly })).body.errorCode).toBe(1005);

  const send = async (templateId: string) => {
    const payload = { senderNumber: "10001234", recipientNumber: "09121234567", templateId, parameters: [] };
    return (await api.call("POST", "/messages/send/template", { key: keys.demo, payload })).body;
  };
  expect(await send("Unapproved")).toMatchObject({
    errorCode: 1107,
    errorMessage: expect.stringContaining("waits") as string,
  });
  expect(await send("Refused")).toMatchObject({
    errorCode: 1107,
    errorMessage: "The template was refused: advertising",
  });
  expect(await send("None")).toMatchObject({
    errorCode: 1107,
    errorMessage: expect.stringContaining("no such") as string,
  });
});
