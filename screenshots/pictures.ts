// Which pages are shown, as whom and how.

export interface Picture {
  /** Of the file, without language. */
  readonly name: string;
  readonly who: "staff" | "customer";
  readonly path: string;
  readonly theme: "light" | "dark";
  readonly isPhone?: true;
  /** Filled in, by selectors of the fields, before the picture is taken; and the form is sent. */
  readonly fill?: Readonly<Record<string, string>>;
  readonly submit?: true;
}

/** `message`: the id of the message whose page is shown. */
export function picturesOf(message: string): readonly Picture[] {
  return [
    { name: "overview", who: "staff", path: "/overview", theme: "light" },
    { name: "message", who: "staff", path: `/messages/${message}`, theme: "light" },
    { name: "messages", who: "staff", path: "/messages", theme: "dark" },
    { name: "connectors", who: "staff", path: "/connectors", theme: "light" },
    {
      name: "routes",
      who: "staff",
      path: "/routes",
      theme: "dark",
      fill: { "[name=recipientNumber]": "09121234567" },
      submit: true,
    },
    { name: "account", who: "staff", path: "/accounts/hodhod-shop", theme: "light" },
    { name: "templates", who: "staff", path: "/templates", theme: "light" },
    {
      name: "send",
      who: "customer",
      path: "/send",
      theme: "light",
      fill: {
        "textarea >> nth=0": "09121234567، 0935 111 2233",
        "textarea >> nth=1": "سارای عزیز، سفارش شما آمادهٔ تحویل است. تا ساعت ۲۰ امروز در فروشگاه منتظر شما هستیم.",
      },
    },
    { name: "reports", who: "customer", path: "/reports", theme: "light" },
    { name: "home-phone", who: "customer", path: "/home", theme: "dark", isPhone: true },
    { name: "overview-phone", who: "staff", path: "/overview", theme: "light", isPhone: true },
  ];
}
