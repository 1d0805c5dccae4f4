// A page that fails says so, and the rest of the console stays.
import { Component, type ReactNode } from "react";
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
    return error === undefined ? this.props.children : <Problem error={error} />;
  }
}
