// Why a command, or the start of a gateway, ends without success, in words for who called it.

/** Exit codes; 0 is success. */
export const exitCode = { failed: 1, usage: 2 } as const;

export interface CommandFailedOptions {
  readonly hint?: string | undefined;
  /** One line each. */
  readonly details?: readonly string[];
  /** The command line or its input is wrong; the exit code is 2. */
  readonly usage?: boolean;
}

/** An error with a complete explanation: one line, optional details, and a hint on what to do. */
export class CommandFailed extends Error {
  override readonly name: string = "CommandFailed";
  readonly hint: string | undefined;
  readonly details: readonly string[];
  readonly exitCode: number;

  constructor(message: string, options: CommandFailedOptions = {}) {
    super(message);
    this.details = options.details ?? [];
    this.hint = options.hint;
    this.exitCode = options.usage === true ? exitCode.usage : exitCode.failed;
  }
}

/** The command line or its input is wrong. */
export function wrongUsage(message: string, hint?: string): CommandFailed {
  return new CommandFailed(message, { usage: true, hint });
}
