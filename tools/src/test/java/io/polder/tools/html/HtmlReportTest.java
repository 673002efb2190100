package io.polder.tools.html;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What stands in a page: everything that it is given, nothing as markup that came as text. */
class HtmlReportTest {
    private static final Pattern DATA =
            Pattern.compile("<script type=\"application/json\">(.*?)</script>", Pattern.DOTALL);

    @Test
    void of_page_hasEachPartOnce() {
        String html = HtmlReport.of(SamplePage.named("a name"));

        assertThat(html).startsWith("<!DOCTYPE html>\n<html lang=\"en\">").endsWith("</html>");
        assertThat(html).containsOnlyOnce("<h1>").containsOnlyOnce("<main");
        assertThat(count(html, "<figure")).isEqualTo(6);
        for (int i = 1; i <= 6; i++) {
            assertThat(html).containsOnlyOnce("id=\"chart-" + i + "\"");
        }
        assertThat(html).contains("MIT License", "Leon Sorokin");
    }

    @Test
    void of_page_needsNothingFromElsewhere() {
        String html = HtmlReport.of(SamplePage.named("a name"));
        String ours = html.replace(Assets.read(Assets.PLOT_SCRIPT), "");

        assertThat(ours).contains("content=\"default-src &#39;none&#39;;");
        assertThat(ours).doesNotContain("src=\"", "url(", "@import", "<link");
        // The name of a vocabulary of XML is no address.
        assertThat(ours.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http://");
        assertThat(ours).doesNotContain("https://");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "</script><script>alert(1)</script>",
                "\"><img src=x onerror=alert(1)>",
                "' onmouseover='alert(1)",
                "<!--",
                "]]>&amp;\u2028\u2029"
            })
    void of_namesWithMarkup_areText(String name) throws Exception {
        String html = HtmlReport.of(SamplePage.named(name));
        String plain = HtmlReport.of(SamplePage.named("plain"));

        for (String tag : List.of("<script", "</script", "<img", "<!--", "<style", "<figure")) {
            assertThat(count(html, tag)).as(tag).isEqualTo(count(plain, tag));
        }
        assertThat(html).doesNotContain("\u2028\" ", name + "</h1>");
        Matcher data = DATA.matcher(html);
        int found = 0;
        while (data.find()) {
            JsonNode json = new ObjectMapper().readTree(data.group(1));
            JsonNode named =
                    json.has("lines") ? json.at("/lines/0/name") : json.at("/panels/0/title");
            assertThat(named.asText()).isEqualTo(name);
            assertThat(data.group(1)).doesNotContain("<", "\u2028");
            found++;
        }
        assertThat(found).isEqualTo(4);
    }

    /** Where they stand first; from elsewhere a link leads there. */
    @Test
    void of_namesThatAreExplained_saySoOnceAndLinkToIt() {
        String html = HtmlReport.of(SamplePage.named("a name"));

        String first = "<dt id=\"one-term-1\">a name</dt><dd>a name</dd></dl>";
        assertThat(html).containsOnlyOnce(first).containsOnlyOnce("More: a name</p>");
        assertThat(html).containsOnlyOnce("<dt id=\"one-term-2\">a name!</dt>");
        String link = "<a href=\"#one-term-1\" title=\"a name\">a name</a>";
        assertThat(html)
                .containsOnlyOnce("<p class=\"more\">Explained above: " + link + "</p>")
                .contains(" rowspan=\"2\">" + link + "</th>");
        assertThat(html.indexOf(first)).isLessThan(html.indexOf("id=\"chart-2\""));
    }

    @Test
    void of_tables_haveHeadersForRowsAndColumns() {
        String html = HtmlReport.of(SamplePage.named("a name"));

        assertThat(html)
                .contains("<caption>a name</caption>")
                .contains("<th scope=\"col\" class=\"words\">a name</th>")
                .contains("<th scope=\"row\">a name</th>")
                .contains("<span class=\"reached\">reached</span>")
                .contains("<span class=\"missed\">missed</span>");
    }

    @Test
    void of_charts_sayInWordsWhatIsToBeSeen() {
        String html = HtmlReport.of(SamplePage.named("N"));

        assertThat(html)
                .contains("Line chart, N. Highest: N 76.3 MiB")
                .contains("Percentile chart, N. N: half within")
                .contains("N: 4.84 MiB held. The left and right arrow keys")
                .contains("<td role=\"cell\" class=\"number\">5.50×</td>")
                .contains("≥ 6.00× <span class=\"missed\">missed</span>");
    }

    @Test
    void page_withTwoSectionsOfOneId_isRefused() {
        Page.Section section = new Page.Section("a", "A", List.of());

        assertThatThrownBy(() -> new Page("t", "h", List.of(), List.of(section, section)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("ids of sections differ");
        assertThatThrownBy(() -> new Page.Section("\"", "A", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("an id has small letters, digits and dashes: id=\"");
    }

    private static int count(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }
}
