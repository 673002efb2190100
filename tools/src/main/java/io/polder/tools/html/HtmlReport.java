package io.polder.tools.html;

import io.polder.tools.html.Page.Section;

import java.util.List;

/**
 * A page as one file of HTML. It needs no network and asks for none: scripts, styles and data are
 * inside, and a policy in its head forbids everything else. It follows the light or dark setting of
 * the system unless its switch says otherwise, and can be printed.
 *
 * <p>Every text of a {@link Page} is shown as it is, whatever it contains: it is escaped, and never
 * markup.
 */
public final class HtmlReport {
    private static final String POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

    private HtmlReport() {}

    /** Writes a page. */
    public static String of(Page page) {
        Markup out = new Markup();
        out.verbatim("<!DOCTYPE html>\n");
        out.open("html", "lang", "en");
        head(out, page);
        out.open("body");
        header(out, page);
        out.open("main", "id", "content");
        contents(out, page.sections());
        int charts = 0;
        for (Section section : page.sections()) {
            charts = section(out, section, charts);
        }
        out.close();
        footer(out);
        Assets.SCRIPTS.forEach(name -> script(out, Assets.read(name)));
        out.close().close();
        return out.html();
    }

    private static void head(Markup out, Page page) {
        out.open("head");
        out.single("meta", "charset", "utf-8");
        out.single("meta", "http-equiv", "Content-Security-Policy", "content", POLICY);
        out.single("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
        out.single("meta", "name", "color-scheme", "content", "light dark");
        out.element("title", page.title());
        out.open("style").verbatim(Assets.read(Assets.PLOT_STYLE)).close();
        out.open("style").verbatim(Assets.read(Assets.STYLE)).close();
        script(out, Assets.read(Assets.PLOT_SCRIPT));
        out.close();
    }

    private static void script(Markup out, String trusted) {
        out.open("script").verbatim(trusted).close();
    }

    private static void header(Markup out, Page page) {
        out.element("a", "Skip to the content", "class", "skip", "href", "#content");
        out.open("header");
        out.open("div", "class", "top");
        out.element("span", page.title(), "class", "title");
        out.open("fieldset", "class", "theme", "hidden", "");
        out.element("legend", "Colours", "class", "unseen");
        for (String theme : List.of("auto", "light", "dark")) {
            out.open("label");
            out.single("input", "type", "radio", "name", "theme", "value", theme);
            out.element("span", theme);
            out.close();
        }
        out.close().close();
        out.element("h1", page.headline());
        out.open("ul", "class", "facts");
        page.facts().forEach(fact -> out.element("li", fact));
        out.close().close();
    }

    /** Sections with what they come to, where there are several; then links to the others. */
    private static void contents(Markup out, List<Section> sections) {
        List<Section> told = sections.stream().filter(s -> !s.lead().isEmpty()).toList();
        if (sections.size() < 2) {
            return;
        }
        out.open("nav", "aria-label", "Contents");
        boolean list = told.size() > 1;
        if (list) {
            out.open("ol");
            told.forEach(section -> entry(out, section));
            out.close();
        }
        out.open("p", "class", "others");
        for (Section section : sections) {
            if (!list || section.lead().isEmpty()) {
                out.element("a", section.title(), "href", "#" + section.id());
            }
        }
        out.close().close();
    }

    private static void entry(Markup out, Section section) {
        out.open("li");
        out.element("a", section.title(), "href", "#" + section.id());
        if (!section.badge().isEmpty()) {
            out.element("span", section.badge(), "class", "badge");
        }
        out.element("p", section.lead());
        out.close();
    }

    /** Writes a section; charts are numbered through. */
    private static int section(Markup out, Section section, int chartsBefore) {
        int charts = chartsBefore;
        out.open("section", "id", section.id(), "aria-labelledby", section.id() + "-title");
        out.element("h2", section.title(), "id", section.id() + "-title");
        if (!section.lead().isEmpty()) {
            out.element("p", section.lead(), "class", "lead");
        }
        TermsMarkup terms = new TermsMarkup(section.id(), section.more());
        boolean inCharts = false;
        for (Block block : section.blocks()) {
            if (block instanceof Chart != inCharts) {
                inCharts = !inCharts;
                if (inCharts) {
                    out.open("div", "class", "charts");
                } else {
                    out.close();
                }
            }
            if (block instanceof Chart chart) {
                ChartMarkup.write(out, chart, "chart-" + ++charts, terms);
            } else {
                block(out, block);
            }
        }
        if (inCharts) {
            out.close();
        }
        out.close();
        return charts;
    }

    private static void block(Markup out, Block block) {
        switch (block) {
            case DataTable table -> TableMarkup.write(out, table);
            case Block.Text text ->
                    out.element("pre", text.text(), "tabindex", "0", "class", "scroll");
            case Block.Facts facts -> {
                out.open("dl");
                for (Block.Fact fact : facts.facts()) {
                    out.element("dt", fact.name()).element("dd", fact.value());
                }
                out.close();
            }
            case Block.Folded folded -> {
                out.open("details");
                out.element("summary", folded.summary());
                folded.blocks().forEach(inner -> block(out, inner));
                out.close();
            }
            case Chart chart ->
                    throw new AssertionError("charts are written with a number: chart=" + chart);
        }
    }

    private static void footer(Markup out) {
        out.open("footer");
        out.open("details");
        out.element("summary", "Lines are drawn by uPlot 1.6.32, MIT licence");
        out.element("pre", Assets.read(Assets.PLOT_LICENCE));
        out.close().close();
    }
}
