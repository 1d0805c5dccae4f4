// The name of an account, with the way to its page; for staff.
import { Link } from "wouter";

export function AccountLink({ name }: { readonly name: string }) {
  return (
    <Link href={`/accounts/${encodeURIComponent(name)}`}>
      <bdi>{name}</bdi>
    </Link>
  );
}
