package io.polder.tidy;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Rules about the documents that must exist and what they must contain. */
final class DocumentRules {

    static final int README_LINES_MAX = 100;
    static final List<String> ADR_SECTIONS =
            List.of("TL;DR", "Goal", "Non-goal", "Success metric", "Risk", "Alternatives");

    private static final String ADR_INDEX = "docs/adr/README.md";
    private static final Pattern ADR_NAME = Pattern.compile("docs/adr/(\\d{4}-[a-z0-9-]+\\.md)");

    private DocumentRules() {}

    static List<Violation> readme(Tree tree) {
        return tree.markdown()
                .filter(file -> file.path().equals("README.md"))
                .findFirst()
                .map(
                        file -> {
                            int lines = file.lines().size();
                            String limits = "lines=" + lines + ", max=" + README_LINES_MAX;
                            return lines <= README_LINES_MAX
                                    ? List.<Violation>of()
                                    : List.of(new Violation("README.md", 0, "too long: " + limits));
                        })
                .orElseGet(() -> List.of(new Violation("README.md", 0, "missing")));
    }

    static List<Violation> decisions(Tree tree) {
        List<Violation> found = new ArrayList<>();
        List<SourceFile> records =
                tree.markdown()
                        .filter(file -> file.path().startsWith("docs/adr/"))
                        .filter(file -> !file.path().equals(ADR_INDEX))
                        .toList();
        String index =
                tree.markdown()
                        .filter(file -> file.path().equals(ADR_INDEX))
                        .map(SourceFile::text)
                        .findFirst()
                        .orElse("");
        List<String> numbers = new ArrayList<>();
        for (SourceFile file : records) {
            var name = ADR_NAME.matcher(file.path());
            if (!name.matches()) {
                found.add(new Violation(file.path(), 0, "not named NNNN-words-like-this.md"));
                continue;
            }
            String number = name.group(1).substring(0, 4);
            if (numbers.contains(number)) {
                found.add(new Violation(file.path(), 0, "number taken: " + number));
            }
            numbers.add(number);
            if (!index.contains("(" + name.group(1) + ")")) {
                found.add(new Violation(file.path(), 0, "not listed in " + ADR_INDEX));
            }
            List<String> headings = Markdown.headings(file);
            for (String section : ADR_SECTIONS) {
                if (!headings.contains(section)) {
                    found.add(new Violation(file.path(), 0, "no section " + section));
                }
            }
        }
        return found;
    }
}
