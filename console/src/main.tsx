// Starts the console in the browser.
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { loadPagesAhead } from "./frame/page-list.ts";
import "./styles/base.css";
import "./styles/tokens.css";

// Style tags of libraries carry the nonce of this page.
setNonce(document.querySelector<HTMLMetaElement>("meta[property='csp-nonce']")?.nonce ?? "");

loadPagesAhead();

const place = document.getElementById("root");
if (place === null) throw new Error("the page has no place for the console");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
