// On or off, at once. Its name is that of what it switches; its state is also said in a word beside
// it.
import styles from "./switch.module.css";

export interface SwitchProps {
  readonly name: string;
  readonly isOn: boolean;
  readonly text: string;
  readonly disabled?: boolean;
  readonly onSwitch: (isOn: boolean) => void;
}

export function Switch({ name, isOn, text, disabled = false, onSwitch }: SwitchProps) {
  return (
    <span className={styles["switch"]}>
      <button
        type="button"
        role="switch"
        aria-label={name}
        aria-checked={isOn}
        disabled={disabled}
        className={styles["track"]}
        onClick={() => onSwitch(!isOn)}
      >
        <span className={styles["thumb"]} />
      </button>
      <span className={isOn ? undefined : styles["off"]}>{text}</span>
    </span>
  );
}
