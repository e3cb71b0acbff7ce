// Draws a Mermaid diagram in the browser, in the colours of the page. Pages without a diagram do not load the library.
import { useData } from "vitepress";
import { type Component, defineComponent, h, onMounted, ref, useId, watch } from "vue";

export const MermaidDiagram: Component = defineComponent({
  props: { code: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const id = `diagram-${useId()}`;
    const svg = ref("");
    let draws = 0;

    /** A page that becomes dark while it loads draws twice, so each drawing has its own id and only the last one counts. */
    async function draw(): Promise<void> {
      draws += 1;
      const own = draws;
      const { default: mermaid } = await import("mermaid");
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: isDark.value ? "dark" : "neutral",
        fontFamily: "inherit",
      });
      const { svg: drawn } = await mermaid.render(`${id}-${own}`, decodeURIComponent(props.code));
      if (own === draws) svg.value = drawn;
    }

    onMounted(draw);
    watch(isDark, draw);
    // Without scripts, and until the diagram is drawn, its source is readable.
    return () =>
      svg.value === ""
        ? h("pre", { class: "diagram" }, decodeURIComponent(props.code))
        : h("div", { class: "diagram", innerHTML: svg.value });
  },
});
