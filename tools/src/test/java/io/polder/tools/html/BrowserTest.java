package io.polder.tools.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;

import io.polder.MemoryPool;
import io.polder.tools.html.Chart.Caption;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Pages in a real browser: whether all charts draw, in all colours and widths, and nothing
 * complains. Pictures are kept in {@code target/pages}. Without a browser it is skipped, unless
 * {@value Chromium#VARIABLE} names one.
 */
@Tag("full")
class BrowserTest {
    private static final String HOSTILE =
            "<script>window.attacked = 1</script></script><img src=x onerror='window.attacked = 2'>"
                    + "\"&amp;";
    private static final Path PICTURES = Path.of("target", "pages");
    private static final int CHARTS = 6;

    @TempDir private static Path profile = Path.of("");
    private static Optional<Chromium> started = Optional.empty();

    /** What is wider than the room it has, folded parts as well, and does not wrap. */
    private static final String CUT =
            """
            document.querySelectorAll('details').forEach(e => e.open = true);
            [...document.querySelectorAll('body *')]
                .filter(e => e.clientWidth > 1 && e.scrollWidth > e.clientWidth + 1)
                .filter(e => getComputedStyle(e).overflowX != 'visible')
                .map(e => e.outerHTML.slice(0, 80))
                .join()
            """;

    @BeforeAll
    static void startBrowser() throws Exception {
        Optional<Path> browser = Chromium.find();
        assumeTrue(
                browser.isPresent(),
                "no browser: install chromium, or name one in " + Chromium.VARIABLE);
        Files.createDirectories(PICTURES);
        started = Optional.of(Chromium.start(browser.get(), profile));
    }

    @AfterAll
    static void stopBrowser() {
        started.ifPresent(Chromium::close);
    }

    @ParameterizedTest
    @CsvSource({"light, 1280", "dark, 1280", "light, 360", "dark, 360"})
    void page_inAllColoursAndWidths_drawsAllCharts(String scheme, int width) throws Exception {
        Chromium browser = open(SamplePage.named("Resident memory"), scheme, width);

        assertAllDrawn(browser);
        browser.screenshot(PICTURES.resolve("sample-" + scheme + "-" + width + ".png"), true);
        assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
                .as("nothing sticks out to the right")
                .isLessThanOrEqualTo(width);
        int paper = luminance(browser, "getComputedStyle(document.body).backgroundColor");
        int ink = luminance(browser, "getComputedStyle(document.body).color");
        assertThat(scheme.equals("dark")).isEqualTo(paper < ink);
        assertThat(browser.complaints()).isEmpty();
    }

    /** What is too wide goes on in the next line: nobody has to scroll to the right. */
    @ParameterizedTest
    @ValueSource(ints = {320, 360, 400})
    void page_narrowWithLongNames_cutsNothing(int width) throws Exception {
        String name = "the resident memory of an allocator whose name is longer than a telephone";
        Chromium browser = open(SamplePage.named(name), "light", width);

        assertAllDrawn(browser);
        assertThat(browser.evaluate(CUT).asText()).isEmpty();
        assertThat(browser.evaluate("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(width);
    }

    /** Told of each text that is drawn: where it begins and ends, and how wide its canvas is. */
    private static final String LISTENING =
            """
            <script>
            window.texts = [];
            const fillText = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
              const width = this.measureText(text).width;
              const before = { center: width / 2, right: width, end: width }[this.textAlign] ?? 0;
              const left = this.getTransform().e + x - before;
              texts.push({ text, left, right: left + width, canvas: this.canvas.width });
              return fillText.call(this, text, x, y);
            };
            </script>
            """;

    private static final String CUT_TEXTS =
            "texts.filter(t => t.text && (t.left < -1 || t.right > t.canvas + 1))"
                    + ".map(t => [t.text, t.left, t.right, t.canvas].join(' ')).join('; ')";

    /** Ticks of bars: those that stick out of their drawing, and those that touch another one. */
    private static final String BAD_TICKS =
            """
            [...document.querySelectorAll('.bars thead svg')].flatMap(svg => {
              const room = svg.getBoundingClientRect();
              const ticks = [...svg.querySelectorAll('text')]
                  .map(e => ({ text: e.textContent, box: e.getBoundingClientRect() }))
                  .filter(t => t.box.width > 0)
                  .sort((a, b) => a.box.left - b.box.left);
              return ticks.filter((t, i) =>
                  t.box.left < room.left - 1 || t.box.right > room.right + 1
                  || (i > 0 && t.box.left < ticks[i - 1].box.right));
            }).map(t => t.text).join()
            """;

    @ParameterizedTest
    @CsvSource({
        "320, seconds since the start of the JVM that wrote the log",
        "360, times that the medium objects were filled up",
        "360, valley",
        "400, valley",
        "800, times that the medium objects were filled up",
        "1280, valley"
    })
    void axes_inAllWidths_cutNoLabel(int width, String name) throws Exception {
        String html = HtmlReport.of(SamplePage.named(name));
        Path file = profile.resolve("axes.html");
        Files.writeString(file, html.replaceFirst("(?=<title>)", LISTENING));
        Chromium browser = browser();
        browser.openTab(width, 900, "light");

        browser.open(file);

        assertAllDrawn(browser);
        assertThat(browser.evaluate("texts.filter(t => t.text).length").asInt()).isGreaterThan(10);
        assertThat(browser.evaluate(CUT_TEXTS).asText()).isEmpty();
        assertThat(browser.evaluate(BAD_TICKS).asText()).isEmpty();
        assertThat(browser.evaluate("document.querySelector('.across').textContent").asText())
                .isEqualTo(name);
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void page_withNamesThatAreMarkup_showsThem() throws Exception {
        Chromium browser = open(SamplePage.named(HOSTILE), "light", 1280);

        assertAllDrawn(browser);
        assertThat(browser.evaluate("window.attacked ?? 0").asInt()).isZero();
        assertThat(browser.evaluate("document.querySelector('h1').textContent").asText())
                .isEqualTo(HOSTILE);
        assertThat(browser.evaluate("document.querySelector('figure h3').textContent").asText())
                .isEqualTo(HOSTILE);
        assertThat(browser.evaluate("document.querySelector('.legend .key').textContent").asText())
                .isEqualTo(HOSTILE);
        assertThat(browser.evaluate("document.images.length").asInt()).isZero();
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void map_ofAPool_isDrawn() throws Exception {
        try (MemoryPool pool = MemoryPool.builder().name("drawn").build();
                Arena arena = pool.openConfined()) {
            arena.allocate(900_000);
            Chart map =
                    new MemoryMap(
                            new Caption("Chunks", "of a pool"),
                            List.of(
                                    PoolArea.panel("now", "chunks", MapTest.areas(pool))
                                            .orElseThrow()));
            Page.Section section = new Page.Section("map", "Map", List.of(map));

            Chromium browser =
                    open(new Page("Map", "", List.of(), List.of(section)), "light", 1280);

            assertThat(drawn(browser)).hasSize(1);
            assertThat(drawn(browser).values()).containsOnly("yes");
            assertThat(browser.complaints()).isEmpty();
            browser.screenshot(PICTURES.resolve("map.png"), true);
        }
    }

    @Test
    void themeSwitch_changesColoursOfPageAndCharts() throws Exception {
        Chromium browser = open(SamplePage.named("a"), "light", 1280);
        String light = colourOfLine(browser);

        browser.evaluate("document.querySelector('input[value=dark]').click()");
        browser.awaitReady();

        assertThat(luminance(browser, "getComputedStyle(document.body).backgroundColor"))
                .isLessThan(60);
        assertThat(colourOfLine(browser)).isNotEqualTo(light);
        assertAllDrawn(browser);
        browser.evaluate("document.querySelector('input[value=light]').click()");
        browser.awaitReady();
        assertThat(colourOfLine(browser)).isEqualTo(light);
    }

    @Test
    void arrowKeys_readPointsAndPieces() throws Exception {
        Chromium browser = open(SamplePage.named("a"), "light", 1280);

        browser.evaluate("document.querySelector('figure .plot').focus()");
        browser.press("ArrowRight");
        browser.press("ArrowRight");
        assertThat(browser.evaluate("document.activeElement.ariaLabel").asText())
                .startsWith("Point 2 of 60: a 42.4 MiB");
        assertThat(browser.evaluate("document.querySelector('.legend b').textContent").asText())
                .isEqualTo("42.4 MiB");

        browser.evaluate("document.querySelector('[data-kind=map] canvas').focus()");
        browser.press("ArrowRight");
        assertThat(reading(browser)).isEqualTo("a: 4.00 KiB at 0 B, held");
        browser.press("ArrowRight");
        assertThat(reading(browser)).isEqualTo("a: 8.00 KiB at 4.00 KiB, held");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void mouse_overAMap_tellsThePiece() throws Exception {
        Chromium browser = open(SamplePage.named("a"), "light", 1280);
        browser.evaluate(
                "document.querySelector('[data-kind=map]')"
                        + ".scrollIntoView({behavior: 'instant'})");
        JsonNode box =
                browser.evaluate(
                        "(({left, top, width}) => ({left, top, width}))(document.querySelectorAll("
                                + "'[data-kind=map] canvas')[1].getBoundingClientRect())");

        String wanted = "a: 4.00 KiB at 0 B, held";
        long end = System.nanoTime() + 200_000_000_000L;
        do { // the page is told of a move with the next picture
            browser.point(box.get("left").asDouble() + 1, box.get("top").asDouble() + 3);
        } while (!reading(browser).equals(wanted) && System.nanoTime() < end);

        assertThat(reading(browser)).isEqualTo(wanted);
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void narrowing_theWindow_drawsAnew() throws Exception {
        Chromium browser = open(SamplePage.named("a"), "light", 1280);
        int before = browser.evaluate("document.querySelector('canvas').width").asInt();

        browser.resize(480, 800);
        browser.awaitReady();
        long end = System.nanoTime() + 200_000_000_000L;
        while (browser.evaluate("document.querySelector('canvas').width").asInt() >= before
                && System.nanoTime() < end) {
            Thread.sleep(20);
        }

        assertThat(browser.evaluate("document.querySelector('canvas').width").asInt())
                .isLessThan(before);
        browser.awaitReady();
        assertAllDrawn(browser);
    }

    @Test
    void print_makesADocument() throws Exception {
        Chromium browser = open(SamplePage.named("a"), "dark", 1280);

        byte[] pdf = browser.print();

        assertThat(new String(pdf, 0, 5, StandardCharsets.US_ASCII)).isEqualTo("%PDF-");
        assertThat(pdf.length).isGreaterThan(20_000);
        Files.write(PICTURES.resolve("sample.pdf"), pdf);
        assertThat(browser.complaints()).isEmpty();
    }

    /** The check must be able to find something. */
    @Test
    void chartThatCannotBeDrawn_isFound() throws Exception {
        String html = HtmlReport.of(SamplePage.named("a")).replace("\"lines\"", "\"line\"");
        Path file = Files.writeString(profile.resolve("broken.html"), html);
        Chromium browser = browser();
        browser.openTab(1280, 900, "light");

        browser.open(file);

        assertThat(drawn(browser)).containsEntry("chart-6", "yes");
        assertThat(drawn(browser).get("chart-1")).startsWith("TypeError");
        assertThat(browser.evaluate("document.documentElement.dataset.failures").asInt())
                .isEqualTo(3);
        assertThat(browser.evaluate("document.querySelector('.failed').textContent").asText())
                .startsWith("This chart could not be drawn");
        assertThat(browser.complaints()).isNotEmpty();
    }

    private static Chromium open(Page page, String scheme, int width)
            throws IOException, InterruptedException {
        Path file = Files.writeString(profile.resolve("page.html"), HtmlReport.of(page));
        Chromium browser = browser();
        browser.openTab(width, 900, scheme);
        browser.open(file);
        return browser;
    }

    private static Chromium browser() {
        return started.orElseThrow();
    }

    private static void assertAllDrawn(Chromium browser) {
        assertThat(drawn(browser)).hasSize(CHARTS);
        assertThat(drawn(browser).values()).containsOnly("yes");
        assertThat(browser.evaluate("document.documentElement.dataset.failures").asInt()).isZero();
    }

    private static Map<String, String> drawn(Chromium browser) {
        JsonNode found =
                browser.evaluate(
                        "Object.fromEntries([...document.querySelectorAll('figure')]"
                                + ".map(f => [f.id, f.dataset.drawn ?? 'never']))");
        Map<String, String> drawn = new HashMap<>();
        found.properties().forEach(entry -> drawn.put(entry.getKey(), entry.getValue().asText()));
        return drawn;
    }

    private static String colourOfLine(Chromium browser) {
        return Objects.requireNonNull(
                browser.evaluate(
                                "document.querySelectorAll('.legend .key line')[2]"
                                        + ".getAttribute('stroke')")
                        .asText());
    }

    private static String reading(Chromium browser) {
        return browser.evaluate("document.querySelector('.reading').textContent").asText();
    }

    private static int luminance(Chromium browser, String colour) {
        return browser.evaluate(
                        colour
                                + ".match(/\\d+/g).slice(0, 3).map(Number)"
                                + ".reduce((sum, part) => sum + part) / 3")
                .asInt();
    }
}
