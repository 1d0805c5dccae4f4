import type { FastifyRequest } from "fastify";
import { describe, expect, it } from "vitest";
import { readQueryParameters, readUrlParameters } from "../../src/http/url-parameters.ts";

function request(url: string, body?: string, label?: string): FastifyRequest {
  const headers = label === undefined ? {} : { "content-type": label };
  return {
    raw: { url },
    routeOptions: {},
    headers,
    body: body === undefined ? undefined : Buffer.from(body),
  } as unknown as FastifyRequest;
}

describe("readUrlParameters", () => {
  it.each([
    ["a form", "a=1", "application/x-www-form-urlencoded"],
    ["a form with charset", "a=1", "application/x-www-form-urlencoded; charset=utf-8"],
    ["a form labelled as text", "a=1\r\n", "text/plain"],
    ["a form without label", "a=1", undefined],
    ["JSON", '{"A":1}', "application/json"],
    ["JSON labelled as form", '\ufeff {"a":"1"}', "application/x-www-form-urlencoded"],
    [
      "multipart",
      '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--x--',
      "multipart/form-data; boundary=x",
    ],
  ])("reads %s, after the query", (_, body, label) => {
    const { parameters, finding } = readUrlParameters(request("/p?a=0&b=2", body, label));
    expect(finding).toBeUndefined();
    expect(parameters.list("a").map(({ value }) => String(value))).toEqual(["0", "1"]);
    expect(parameters.text("b")).toBe("2");
  });

  it.each([
    ["application/json", "[1]", "body.notObject"],
    ["text/plain", "{", "body.notObject"],
    ["multipart/form-data", "--x--", "body.form"],
    ["multipart/form-data; boundary=x", "a=1", "body.form"],
  ])("a body that cannot be read is a finding: %s %s", (label, body, messageKey) => {
    expect(readUrlParameters(request("/p?a=0", body, label)).finding).toEqual({ field: "body", messageKey });
  });

  it("refuses other media types", () => {
    expect(() => readUrlParameters(request("/p", "x", "image/png"))).toThrow(/media type/);
    expect(readUrlParameters(request("/p?a=1", "", "image/png")).parameters.text("a")).toBe("1");
  });
});

it("readQueryParameters reads the query alone", () => {
  expect(readQueryParameters(request("/p?Count=5", "count=6")).text("count")).toBe("5");
});
