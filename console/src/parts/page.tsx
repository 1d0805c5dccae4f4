// What a page is made of: its head, sections, facts, and what stands where there is nothing.
import { type ReactNode, useEffect, useId } from "react";
import { useTexts } from "../texts/texts.ts";
import { Shown } from "./values.tsx";
import emptyStyles from "./empty.module.css";
import factsStyles from "./facts.module.css";
import pageHeadStyles from "./page-head.module.css";
import sectionStyles from "./section.module.css";

interface PageHeadProps {
  readonly title: string;
  /** Shown as the title, where it is more than words. */
  readonly heading?: ReactNode;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
}

export function PageHead({ title, heading, lead, actions }: PageHeadProps) {
  const t = useTexts();
  useEffect(() => {
    document.title = `${title} · ${t("product.name")}`;
  });
  return (
    <div className={pageHeadStyles["head"]}>
      <div className={pageHeadStyles["words"]}>
        <h1>{heading ?? title}</h1>
        {lead !== undefined && <p>{lead}</p>}
      </div>
      {actions !== undefined && <div className={pageHeadStyles["actions"]}>{actions}</div>}
    </div>
  );
}

// A named part of a page.

interface SectionProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, lead, children }: SectionProps) {
  const id = useId();
  return (
    <section className={sectionStyles["section"]} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {lead !== undefined && <p className={sectionStyles["lead"]}>{lead}</p>}
      {children}
    </section>
  );
}

// A page or list without content: why, and the one next step.

export interface EmptyProps {
  readonly title: string;
  readonly text?: string | undefined;
  /** The one next step. */
  readonly children?: ReactNode;
}

export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div className={emptyStyles["empty"]}>
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

// Names and values of one object, in two columns.

interface Fact {
  readonly name: string;
  /** Absent: the fact is left out. A number is written as the language does. */
  readonly value?: ReactNode;
}

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className={factsStyles["facts"]}>
      {facts
        .filter(({ value }) => value !== undefined)
        .map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Shown value={value} />
            </dd>
          </div>
        ))}
    </dl>
  );
}
