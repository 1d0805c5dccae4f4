// What both ways of sending ask for: the line, and the template.
import type { SendOptions } from "../../api/types.ts";
import { Select } from "../../parts/controls.tsx";
import { lineChoices } from "../../parts/values.tsx";
import { useTexts } from "../../texts/texts.ts";

interface ChoiceProps {
  readonly options: SendOptions;
  readonly value: string;
  readonly onChoose: (value: string) => void;
}

export function LineChoice({ options: { lines }, ...choice }: ChoiceProps) {
  const t = useTexts();
  return <Select label={t("message.line")} hint={t("send.lineHint")} options={lineChoices(t, lines)} {...choice} />;
}

/** `none`: what stands for no template, where there may be none. */
export function TemplateChoice({
  options: { templates },
  none,
  ...choice
}: ChoiceProps & { readonly none?: string | undefined }) {
  const t = useTexts();
  return (
    <Select
      label={t("message.template")}
      options={[
        ...(none === undefined ? [] : [{ value: "", text: none }]),
        ...templates.map(({ id, content }) => ({ value: id, text: `${id}: ${content.slice(0, 40)}` })),
      ]}
      {...choice}
    />
  );
}
