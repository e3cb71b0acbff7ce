// Draws a Mermaid diagram in the browser, in the colours of the page. Pages without a diagram do not load the library.
import { useData } from "vitepress";
import { type Component, defineComponent, h, onMounted, ref, useId, watch } from "vue";

export const MermaidDiagram: Component = defineComponent({
  props: { code: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const id = `diagram-${useId()}`;
    const svg = ref("");

    async function draw(): Promise<void> {
      const { default: mermaid } = await import("mermaid");
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: isDark.value ? "dark" : "neutral",
        fontFamily: "inherit",
      });
      const { svg: drawn } = await mermaid.render(id, decodeURIComponent(props.code));
      svg.value = drawn;
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
