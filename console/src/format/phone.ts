// Phone numbers as one dials them in Iran. Pure.

/** `989121234567` as `09121234567`; anything else as it is. */
export function dialled(number: string): string {
  return /^989\d{9}$/.test(number) ? `0${number.slice(2)}` : number;
}
