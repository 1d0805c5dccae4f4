// A page that fails says so, and the rest of the console stays.
import { Component, type ReactNode } from "react";
import { Unreachable } from "../api/client.ts";
import { useLostSince } from "../api/connection.ts";
import { Problem } from "./problem.tsx";

interface Failure {
  readonly error?: unknown;
}

export class Guarded extends Component<{ readonly children: ReactNode }, Failure> {
  override state: Failure = {};

  static getDerivedStateFromError(error: unknown): Failure {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error === undefined ? this.props.children : <Failed error={error} />;
  }
}

/** A page that could not be loaded comes by itself when the gateway is back (api/lost-part.ts). */
function Failed({ error }: { readonly error: unknown }) {
  const isLost = useLostSince() !== undefined;
  return <Problem error={isLost ? new Unreachable(error, "none") : error} />;
}
