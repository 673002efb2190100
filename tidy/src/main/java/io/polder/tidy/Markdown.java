package io.polder.tidy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the rules need to know of a Markdown text; no more than that of Markdown. */
final class Markdown {

    private static final Pattern HEADING = Pattern.compile("^#{1,6}\\s+(.*?)\\s*#*$");
    private static final Pattern ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\"");
    private static final Pattern INLINE_CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK =
            Pattern.compile("\\]\\(<?([^)\\s>]*)>?(?:\\s+\"[^\"]*\")?\\)");
    private static final Pattern DEFINITION =
            Pattern.compile("^\\s{0,3}\\[([^\\]]+)\\]:\\s*(\\S+)");
    private static final Pattern USE = Pattern.compile("\\[([^\\]]+)\\]\\[([^\\]]*)\\]");

    private Markdown() {}

    /** A link, or a use of a link's label, and its line. */
    record Link(int line, String target) {}

    /** The lines with fenced code replaced by empty ones. */
    static List<String> withoutFences(SourceFile file) {
        List<String> lines = new ArrayList<>();
        boolean fenced = false;
        for (String line : file.lines()) {
            boolean fence = line.stripLeading().startsWith("```");
            lines.add(fenced || fence ? "" : line);
            fenced ^= fence;
        }
        return lines;
    }

    /** The same with inline code blanked as well. */
    static List<String> prose(SourceFile file) {
        return withoutFences(file).stream()
                .map(line -> INLINE_CODE.matcher(line).replaceAll("``"))
                .toList();
    }

    static List<String> headings(SourceFile file) {
        List<String> headings = new ArrayList<>();
        for (String line : withoutFences(file)) {
            Matcher heading = HEADING.matcher(line);
            if (heading.matches()) {
                headings.add(heading.group(1));
            }
        }
        return headings;
    }

    /** What may follow {@code #} in a link to this file, by the rule of the large code hosts. */
    static Set<String> anchors(SourceFile file) {
        Set<String> anchors = new LinkedHashSet<>();
        Map<String, Integer> repeats = new HashMap<>();
        for (String heading : headings(file)) {
            String slug = slug(heading);
            int repeat = repeats.merge(slug, 1, Integer::sum);
            anchors.add(repeat == 1 ? slug : slug + "-" + (repeat - 1));
        }
        Matcher explicit = ANCHOR.matcher(file.text());
        while (explicit.find()) {
            anchors.add(explicit.group(1));
        }
        return anchors;
    }

    private static String slug(String heading) {
        return heading.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
    }

    static List<Link> links(SourceFile file) {
        List<Link> links = new ArrayList<>();
        List<String> lines = prose(file);
        for (int i = 0; i < lines.size(); i++) {
            Matcher definition = DEFINITION.matcher(lines.get(i));
            if (definition.find()) {
                links.add(new Link(i + 1, definition.group(2)));
            }
            Matcher link = LINK.matcher(lines.get(i));
            while (link.find()) {
                links.add(new Link(i + 1, link.group(1)));
            }
        }
        return links;
    }

    /** Uses of labels, {@code [text][label]}, that no line defines. */
    static List<Link> undefinedLabels(SourceFile file) {
        List<String> lines = prose(file);
        Set<String> defined = new LinkedHashSet<>();
        for (String line : lines) {
            Matcher definition = DEFINITION.matcher(line);
            if (definition.find()) {
                defined.add(definition.group(1).toLowerCase(Locale.ROOT));
            }
        }
        List<Link> missing = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            Matcher use = USE.matcher(lines.get(i));
            while (use.find()) {
                String label = use.group(2).isEmpty() ? use.group(1) : use.group(2);
                if (!defined.contains(label.toLowerCase(Locale.ROOT))) {
                    missing.add(new Link(i + 1, label));
                }
            }
        }
        return missing;
    }
}
