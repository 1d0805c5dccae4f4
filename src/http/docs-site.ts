// The documentation below /docs: the guides of the folder docs as pages and as Markdown, a page for
// each error, a search, and /llms.txt. The pages have no scripts and load nothing from other hosts.
import { readdirSync, readFileSync } from "node:fs";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Marked } from "marked";
import { messageState } from "../events/representations.ts";
import { fault } from "../sms/fault.ts";
import { messageStatus, reasonCode } from "../sms/message-status.ts";
import { errorHelp } from "../texts/error-help.ts";
import {
  ApiError,
  type ApiErrorDetails,
  errorCatalogue,
  type ErrorName,
  errorNameOf,
  findingCatalogue,
  serverErrorText,
} from "../texts/errors.ts";
import { type AnswerLanguage, localize, type LocalizedText } from "../texts/localize.ts";
import { languageOf } from "./accept-headers.ts";
import { ownOrigin } from "./console/session-cookie.ts";
import { errorBody, firstErrorId, lastErrorId } from "./error-response.ts";
import { rawQueryOf } from "./query-string.ts";

/** Where the pages are, seen from src/ and from dist/. */
const folder = new URL("../../docs/", import.meta.url);
/** Of those who change the program. */
const unserved = /^decisions\//;
/** Of the gateway in the guides. */
const writtenOrigin = "http://127.0.0.1:8080";
/** It needs no escaping, neither in HTML nor in a command. */
const shownOrigin = /^https?:\/\/[\w.:[\]-]{1,260}$/;
const longestSearch = 100;
const mostResults = 30;

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const words = {
  documentation: { en: "Documentation", fa: "راهنماها" },
  errors: { en: "Errors", fa: "خطاها" },
  api: { en: "API reference", fa: "متدهای API" },
  search: { en: "Search", fa: "جست‌وجو" },
  nothing: { en: "Nothing was found.", fa: "چیزی پیدا نشد." },
  error: { en: "Error", fa: "خطای" },
  operatorsWord: { en: "What the operator's word means", fa: "معنی واژهٔ اپراتور" },
  console: { en: "Console", fa: "پنل" },
  unknownPage: { en: "There is no such page.", fa: "چنین صفحه‌ای وجود ندارد." },
  unknownError: {
    en: "There is no error with this code. The list of errors has all of them.",
    fa: "خطایی با این کد وجود ندارد. همهٔ خطاها در فهرست خطاهاست.",
  },
  causes: { en: "Usual causes", fa: "علت‌های معمول" },
  solution: { en: "What to do", fa: "راه حل" },
  example: { en: "Example", fa: "نمونه" },
} as const satisfies Record<string, LocalizedText>;

/** What stands between two headings of a page. */
interface Section extends Pick<Page, "language"> {
  readonly address: string;
  readonly title: string;
  readonly text: string;
  readonly foldedText: string;
}

interface Page {
  /** Below /docs/, such as `guides/login-codes.fa`. */
  readonly name: string;
  readonly language: AnswerLanguage;
  readonly title: string;
  readonly markdown: string;
}

interface Content extends Pick<Page, "language" | "title"> {
  readonly html: string;
}

export function serveDocs(app: FastifyInstance, trustedProxies: readonly string[]): void {
  let pages: ReadonlyMap<string, Page> | undefined;
  let sections: readonly Section[] | undefined;
  // Read when somebody asks: a start does not wait for them.
  const allPages = () => (pages ??= new Map(readPages().map((page) => [page.name.toLowerCase(), page])));
  const pageAt = (path: string): Page | undefined => allPages().get(path.toLowerCase().replace(/\.md$/, ""));
  const contents = new Map<Page, Content>();
  const contentOf = (page: Page): Content => {
    const content = contents.get(page) ?? rendered(page);
    contents.set(page, content);
    return content;
  };
  /** Commands name the address that the reader came by, but for those that run on the server itself. */
  const addressed = (text: string, { name }: Page, { raw }: FastifyRequest): string => {
    const origin = ownOrigin(raw, trustedProxies);
    return name.startsWith("operate/") || !shownOrigin.test(origin) ? text : text.replaceAll(writtenOrigin, origin);
  };

  add(app, "/docs", (request, reply) => {
    const language = readerLanguage(request);
    return send(reply, contentOf(pageAt(language === "fa" ? "README.fa" : "README") ?? notFound()));
  });
  add(
    app,
    "/docs/*",
    (request, reply) => {
      const { "*": path = "" } = request.params as { readonly "*"?: string };
      const page = pageAt(path);
      if (page === undefined) {
        if (request.headers.accept?.includes("text/html") !== true) return notFound();
        return send(reply.code(404), missingPage(readerLanguage(request), words.unknownPage));
      }
      if (path.endsWith(".md")) {
        return reply.type("text/markdown; charset=utf-8").send(addressed(page.markdown, page, request));
      }
      const content = contentOf(page);
      return send(reply, { ...content, html: addressed(content.html, page, request) });
    },
    (path) => pageAt(path) !== undefined,
  );
  add(app, "/docs/errors/:code", (request, reply) => {
    const { code = "" } = request.params as { readonly code?: string };
    const language = readerLanguage(request);
    const page = errorPage(Number(code), language);
    return send(page === undefined ? reply.code(404) : reply, page ?? missingPage(language, words.unknownError));
  });
  add(app, "/docs/search", (request, reply) => {
    const wanted = new URLSearchParams(rawQueryOf(request.raw.url ?? "")).get("q") ?? "";
    const language = readerLanguage(request);
    sections ??= [...allPages().values()].flatMap(sectionsOf);
    const html = resultsHtml(sections, wanted.slice(0, longestSearch), language);
    return send(reply, { language, title: words.search[language], html });
  });
  add(app, "/docs/style.css", (_, reply) =>
    reply.type("text/css; charset=utf-8").send(readFileSync(new URL("style.css", folder))),
  );
  add(app, "/docs/json", (_, reply) => reply.send(app.swagger()));
  add(app, "/docs/yaml", (_, reply) => reply.type("application/yaml").send(app.swagger({ yaml: true })));
  add(app, "/llms.txt", (_, reply) =>
    reply.type("text/markdown; charset=utf-8").send(overview([...allPages().values()])),
  );
}

function send(reply: FastifyReply, { language, title, html }: Content): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .headers({ "content-security-policy": policy, "content-language": language, vary: "accept-language" })
    .send(frame(language, title, html));
}

const readerLanguage = ({ headers }: FastifyRequest) => languageOf(headers["accept-language"]);

type Handler = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

function add(app: FastifyInstance, path: string, handler: Handler, isThere?: (rest: string) => boolean): void {
  app.route({ method: ["GET", "HEAD"], url: path, schema: { hide: true }, handler });
  app.knownPaths.add([{ method: "GET", answersHead: true, path, ...(isThere && { isThere }) }]);
}

function notFound(): never {
  throw new ApiError("notFound");
}

function readPages(): Page[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".md") && !unserved.test(file))
    .sort()
    .map((file) => pageOf(file.replace(/\.md$/, ""), readFileSync(new URL(file, folder), "utf8")));
}

function pageOf(name: string, markdown: string): Page {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? name;
  return { name, language: name.endsWith(".fa") ? "fa" : "en", title, markdown };
}

function sectionsOf({ name, language, title, markdown }: Page): Section[] {
  return markdown.split(/^(?=#{1,3} )/m).map((text) => {
    const heading = /^#{1,3} (.+)$/m.exec(text)?.[1] ?? title;
    const anchor = heading === title ? "" : `#${anchorOf(heading)}`;
    const plain = text
      .replace(/\]\([^)\s]*\)/g, "]")
      .replace(/[`*|#>[\]]/g, " ")
      .replace(/\s+/g, " ");
    return {
      address: `/docs/${name}${anchor}`,
      language,
      title: heading === title ? title : `${title}: ${heading}`,
      text: plain,
      foldedText: folded(plain),
    };
  });
}

/** As GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{Nd}\s_-]/gu, "")
    .trim()
    .replace(/\s/g, "-");
}

/** Links between documents lead to their pages; what is not served is shown without its link. */
function rendered({ name, language, title, markdown }: Page): Content {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${escapeHtml(anchorOf(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const address = addressOf(name, href);
        return address === undefined ? text : `<a href="${escapeHtml(address)}">${text}</a>`;
      },
      image: () => "",
    },
  });
  return { language, title, html: marked.parse(markdown, { async: false }) };
}

function addressOf(name: string, href: string): string | undefined {
  if (/^(?:https:|#)/.test(href)) return href;
  if (/^[a-z]+:/i.test(href)) return undefined;
  const { pathname, hash } = new URL(href, `file:///docs/${name}`);
  if (pathname === "/docs/openapi.json") return "/docs/json";
  const isServed = pathname.startsWith("/docs/") && pathname.endsWith(".md") && !unserved.test(pathname.slice(6));
  return isServed ? pathname.replace(/\.md$/, "") + hash : undefined;
}

function errorPage(code: number, language: AnswerLanguage): Content | undefined {
  const isServerError = code === 500 || (code >= firstErrorId && code <= lastErrorId);
  const name = isServerError ? "serverError" : errorNameOf(code);
  if (name === undefined) return undefined;
  const { causes, solution } = errorHelp[name];
  const title = `${words.error[language]} ${isServerError ? 500 : code}`;
  const text = localize(name === "serverError" ? serverErrorText : errorCatalogue[name], language, exampleValues);
  const html = [
    `<h1>${title}</h1><p>${escapeHtml(text)}</p>`,
    `<h2>${words.causes[language]}</h2><p>${escapeHtml(causes[language])}</p>`,
    `<h2>${words.solution[language]}</h2><p>${escapeHtml(solution[language])}</p>`,
    ...(operatorsWords.has(name) ? [`<p>${wordsLink(language)}</p>`] : []),
    `<h2>${words.example[language]}</h2><pre dir="auto"><code>${escapeHtml(exampleOf(name, language))}</code></pre>`,
  ].join("\n");
  return { language, title, html };
}

/** Errors whose texts have a word of the operator in brackets. */
const operatorsWords: ReadonlySet<string> = new Set(["refusedByOperator", "undelivered"] satisfies ErrorName[]);

function wordsLink(language: AnswerLanguage): string {
  const address = language === "fa" ? "/docs/api-guide.fa#واژههای-داخل-پرانتز" : "/docs/api-guide#the-word-in-brackets";
  return `<a href="${address}">${words.operatorsWord[language]}</a>`;
}

function missingPage(language: AnswerLanguage, why: LocalizedText): Content {
  return { language, title: "404", html: `<h1>404</h1><p>${why[language]}</p>` };
}

const errorsAddress = (language: AnswerLanguage): string => (language === "fa" ? "/docs/errors.fa" : "/docs/errors");

// Examples of responses are made by what makes the real ones.

const exampleValues = {
  address: "203.0.113.7",
  bodyLimit: 1024,
  errorId: "1234567890",
  line: "20001234",
  maximum: 10_000,
  rule: "links",
  seconds: 5,
};
const exampleNumbers = { senderNumber: "10001234", recipientNumber: "09121234567" };
const content = "سفارش شما ثبت شد.";
const exampleDetails: Readonly<Partial<Record<ErrorName, ApiErrorDetails>>> = {
  invalidParameters: { validationErrors: [{ field: "recipientNumber", messageKey: "recipientNumber.form" }] },
  nothingToSend: {
    messages: [{ kind: "rejected", ...exampleNumbers, content, faults: [fault("senderNumber.notInAccount")] }],
  },
  recipientBlocked: { text: findingCatalogue["recipientNumber.optedOut"] },
  ceilingReached: { text: findingCatalogue["account.dailyMessages"] },
};
const withRetryAfter: ReadonlySet<ErrorName> = new Set(["tooManyRequests", "unavailable", "idempotencyKeyBusy"]);
const statusOfReason = new Map<number, number>([
  [reasonCode.noReceipt, messageStatus.sent],
  [reasonCode.outcomeUnknown, messageStatus.waiting],
  [reasonCode.inReview, messageStatus.waiting],
  [reasonCode.undelivered, messageStatus.undelivered],
]);

function exampleOf(name: ErrorName | "serverError", language: AnswerLanguage): string {
  if (name === "serverError") {
    const errorMessage = localize(serverErrorText, language, exampleValues);
    return `HTTP 500\n${JSON.stringify({ errorCode: Number(exampleValues.errorId), errorMessage })}`;
  }
  const { code, status } = errorCatalogue[name];
  if (status === 200) return `HTTP 200\n{"messages":[${exampleState(code, language)}]}`;
  const retryAfter = withRetryAfter.has(name) ? `Retry-After: ${exampleValues.seconds}\n` : "";
  return `HTTP ${status}\n${retryAfter}${errorBody(new ApiError(name, exampleDetails[name]), language, exampleValues)}`;
}

/** A message with a reason, in a status response. */
function exampleState(reason: number, language: AnswerLanguage): string {
  const status = statusOfReason.get(reason) ?? messageStatus.unsent;
  const sentAt = new Date("2026-11-28T08:00:00Z");
  const isUndelivered = reason === reasonCode.undelivered;
  const refused = reason === reasonCode.refused ? "ESME_RINVDSTADR" : null;
  return messageState(
    {
      id: "01a1fa75-5d08-7000-af21-134ee4ecf748",
      batchId: "01a1fa75-5d08-768a-a9a6-497fa375d063",
      sender: exampleNumbers.senderNumber,
      recipient: exampleNumbers.recipientNumber,
      givenSender: null,
      givenRecipient: null,
      content,
      language: "fa",
      operator: "MCI",
      parts: 1,
      cost: 1390n,
      status,
      reason,
      reasonDetail: isUndelivered ? "UNDELIV 027" : refused,
      failure: isUndelivered ? { kind: "unreachable" } : null,
      sendAt: null,
      sentAt: status === messageStatus.sent || isUndelivered ? sentAt : null,
      finalAt: status === messageStatus.waiting ? null : new Date(sentAt.getTime() + 60_000),
    },
    language,
  );
}

function resultsHtml(sections: readonly Section[], wanted: string, language: AnswerLanguage): string {
  const terms = folded(wanted).split(/\s+/).filter(Boolean);
  const found = sections
    .filter(({ foldedText }) => terms.length > 0 && terms.every((term) => foldedText.includes(term)))
    .map((section) => ({ ...section, rank: rankOf(section, terms, language) }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, mostResults);
  const items = found.map(({ address, title, text, foldedText }) => {
    const phraseAt = foldedText.indexOf(terms.join(" "));
    const wordAt = phraseAt < 0 ? foldedText.indexOf(terms[0] ?? "") : phraseAt;
    // A whole word begins the excerpt.
    const at = text.lastIndexOf(" ", Math.max(0, wordAt - 60)) + 1;
    return `<li><a href="${escapeHtml(address)}">${escapeHtml(title)}</a><p dir="auto">${escapeHtml(text.slice(at, at + 200))}</p></li>`;
  });
  const heading = `<h1>${words.search[language]}: ${escapeHtml(wanted)}</h1>`;
  return items.length === 0 ? `${heading}<p>${words.nothing[language]}</p>` : `${heading}<ul>${items.join("")}</ul>`;
}

/** The reader's language first; then titles; then the words side by side. */
function rankOf(section: Section, terms: readonly string[], language: AnswerLanguage): number {
  const isTitled = terms.every((term) => folded(section.title).includes(term));
  const isPhrase = section.foldedText.includes(terms.join(" "));
  return (section.language === language ? 4 : 0) + (isTitled ? 2 : 0) + (isPhrase ? 1 : 0);
}

/** Letters that Arabic and Persian keyboards write differently count as equal. */
function folded(text: string): string {
  return text.toLowerCase().replaceAll("ي", "ی").replaceAll("ك", "ک").replaceAll("\u200c", " ");
}

/** For programs that read the documents: https://llmstxt.org. */
function overview(pages: readonly Page[]): string {
  const lines = pages.map(({ name, title }) => `- [${title}](/docs/${name}.md)`);
  return ["# Hodhod", "", "> A self-hosted SMS gateway: HTTP JSON API, SMPP to operators.", "", "## Docs", "", ...lines]
    .concat("- [OpenAPI description](/docs/json)", "")
    .join("\n");
}

function frame(language: AnswerLanguage, title: string, html: string): string {
  const direction = language === "fa" ? "rtl" : "ltr";
  const link = (address: string, text: LocalizedText): string => `<a href="${address}">${text[language]}</a>`;
  return `<!doctype html>
<html lang="${language}" dir="${direction}"><head><meta charset="utf-8"><title>${escapeHtml(title)} · Hodhod</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/docs/style.css"></head>
<body><header>${link("/docs", words.documentation)} ${link(errorsAddress(language), words.errors)}
${link("/docs/api", words.api)} ${link("/console", words.console)}
<form action="/docs/search"><input type="search" name="q" maxlength="${longestSearch}" aria-label="${words.search[language]}"
placeholder="${words.search[language]}"></form></header>
<main>${html}</main></body></html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
