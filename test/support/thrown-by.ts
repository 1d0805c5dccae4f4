// What a promise is refused with, for tests that look at the error itself.

/** What it throws; fails when it does not. */
export async function thrownBy(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => {
      throw new Error(`no error but ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
}
