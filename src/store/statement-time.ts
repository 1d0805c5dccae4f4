// The time that is stored of something that happened in this process. `now()` is when the
// transaction began, which may be before it happened: what is told of a message would then stand
// before what it follows. `statement_timestamp()` is when the statement arrived: after it happened.

/** Unix milliseconds of the statement, whole ones, so that no time is rounded up. */
export const epochMilliseconds = "floor(extract(epoch from statement_timestamp()) * 1000)::bigint";
