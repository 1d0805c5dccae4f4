// Buttons. One primary action a page; what destroys is quiet until it is asked for.
import type { ButtonHTMLAttributes } from "react";
import styles from "./button.module.css";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: "primary" | "plain" | "quiet" | "danger";
  /** Long work under way: it cannot be pressed again. */
  readonly busy?: boolean;
}

export function Button({ kind = "plain", busy = false, className, type = "button", disabled, ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      data-kind={kind}
      className={[styles["button"], styles[kind], className].filter(Boolean).join(" ")}
    />
  );
}
