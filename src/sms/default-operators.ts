// The mobile operators of Iran and their number prefixes: the initial content of the operator
// table. Staff can change the table. Prefixes overlap, and the longest one counts.

export interface OperatorPrefixes {
  readonly name: string;
  /** National form, without the leading 0. */
  readonly prefixes: readonly string[];
}

/**
 * Sources: libphonenumber's carrier data for +98 and, where it has none, validators in use in Iran.
 * They disagree on parts of 099x. The blocks of virtual operators carry their own names although a
 * host network serves them.
 */
export const defaultOperators: readonly OperatorPrefixes[] = [
  {
    name: "MCI",
    prefixes: [
      ...["910", "911", "912", "913", "914", "915", "916", "917", "918", "919"],
      ...["990", "991", "992", "993", "994", "995", "996", "9995", "99902", "99969"],
    ],
  },
  {
    name: "Irancell",
    prefixes: [
      ...["900", "901", "902", "903", "904", "905", "930", "933", "935", "936", "937", "938", "939"],
      ...["941", "9955", "9991"],
    ],
  },
  { name: "RighTel", prefixes: ["920", "921", "922", "923"] },
  { name: "Spadan", prefixes: ["931"] },
  { name: "Taliya", prefixes: ["932"] },
  { name: "TeleKish", prefixes: ["934"] },
  { name: "ShatelMobile", prefixes: ["9981", "9982"] },
  { name: "ApTel", prefixes: ["99910", "99911", "99913", "9993"] },
  { name: "Azartel", prefixes: ["99914"] },
  { name: "SamanTel", prefixes: ["99996", "99997", "99998", "99999"] },
  { name: "ArianTel", prefixes: ["9998"] },
  { name: "LotusTel", prefixes: ["9990"] },
];
