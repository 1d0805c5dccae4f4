// A template with the values typed so far; a placeholder without one stays as it is. The gateway
// makes the text that is sent. Pure.

const placeholder = /\{([\p{L}\p{Nd}_-]+)\}/gu;

export function placeholdersOf(content: string): readonly string[] {
  return [...new Set([...content.matchAll(placeholder)].map(([, name = ""]) => name))];
}

export function renderedText(content: string, values: Readonly<Record<string, string>>): string {
  return content.replace(placeholder, (whole, name: string) => values[name] || whole);
}
