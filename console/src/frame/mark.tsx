// The bird and the name.
import { useTexts } from "../texts/texts.ts";
import styles from "./mark.module.css";

export function Mark() {
  const t = useTexts();
  return (
    <span className={styles["mark"]}>
      <svg
        aria-hidden="true"
        viewBox="0 0 32 32"
        width="26"
        height="26"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.200"
        strokeLinecap="round"
        strokeLinejoin="round"
      >
        <path d="M4 21.500 11.200 16.300c.5-4.600 3.800-7.800 8.300-7.800 3.300 0 5.700 2.100 6.700 5.200M18.600 8.500l-3.600-5.200M20 8.200l-.4-6.300M21.600 8.500l2.700-5.600M11.200 16.300c.5 5.600 4.500 9.800 10.300 12.500" />
        <circle cx="19.600" cy="13.800" r="1.200" fill="currentColor" stroke="none" />
      </svg>
      <span>{t("product.name")}</span>
    </span>
  );
}
