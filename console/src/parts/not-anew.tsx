// What is shown could not be read again: it stays, with all that is typed in it, and the page says
// why it may be old. That the gateway is away is told for all pages (frame/lost-connection.tsx).
import { Unreachable } from "../api/client.ts";
import { Problem } from "./problem.tsx";

export interface NotAnewProps {
  readonly query: { readonly error: unknown; readonly refetch: () => Promise<unknown> };
}

export function NotAnew({ query: { error, refetch } }: NotAnewProps) {
  if (error === null || error instanceof Unreachable) return null;
  return <Problem error={error} onRetry={() => void refetch()} />;
}
