package io.polder.tidy;

import org.jspecify.annotations.Nullable;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rules about what a text points at: it must be there. */
final class LinkRules {

    private static final Pattern EXTERNAL = Pattern.compile("^[a-zA-Z][a-zA-Z0-9+.-]*:.*");
    private static final Pattern ADR = Pattern.compile("\\bADR[- ](\\d{1,4})\\b");
    private static final Pattern DOCUMENT = Pattern.compile("(?<![\\w/.-])docs/[\\w./-]+\\.md\\b");
    private static final Pattern SOURCE =
            Pattern.compile("(?<![\\w/.-])[a-z][a-z/-]*/src/(?:main|test)/[\\w./-]+\\.\\w+");
    private static final List<Pattern> FILES = List.of(DOCUMENT, SOURCE);
    private static final Pattern CODE_NAME =
            Pattern.compile("`(io\\.polder(?:\\.[a-z]\\w*)*(?:\\.[A-Z]\\w*)?)`");

    private LinkRules() {}

    /** Links in Markdown: files and anchors must exist, addresses must be well-formed. */
    static List<Violation> links(Tree tree) {
        List<Violation> found = new ArrayList<>();
        tree.markdown()
                .forEach(
                        file -> {
                            for (Markdown.Link link : Markdown.links(file)) {
                                String problem =
                                        EXTERNAL.matcher(link.target()).matches()
                                                ? externalProblem(link.target())
                                                : internalProblem(tree, file, link.target());
                                if (problem != null) {
                                    found.add(new Violation(file.path(), link.line(), problem));
                                }
                            }
                            for (Markdown.Link use : Markdown.undefinedLabels(file)) {
                                String problem = "no definition of [" + use.target() + "]";
                                found.add(new Violation(file.path(), use.line(), problem));
                            }
                        });
        return found;
    }

    private static @Nullable String externalProblem(String target) {
        try {
            URI uri = new URI(target);
            boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            boolean whole = web ? uri.getHost() != null : "mailto".equals(uri.getScheme());
            return whole ? null : "not an address: " + target;
        } catch (URISyntaxException e) {
            return "not an address: " + target;
        }
    }

    private static @Nullable String internalProblem(Tree tree, SourceFile from, String target) {
        int hash = target.indexOf('#');
        String file = hash < 0 ? target : target.substring(0, hash);
        String path = file.isEmpty() ? from.path() : resolve(from.path(), file);
        if (!tree.contains(path)) {
            return "dead link: " + target;
        }
        if (hash < 0) {
            return null;
        }
        String anchor = target.substring(hash + 1);
        boolean found =
                tree.markdown()
                        .filter(other -> other.path().equals(path))
                        .anyMatch(other -> Markdown.anchors(other).contains(anchor));
        return found ? null : "no such heading: " + target;
    }

    private static String resolve(String from, String relative) {
        String base = from.substring(0, from.lastIndexOf('/') + 1);
        String path = URI.create("/" + base).resolve(relative).normalize().getPath();
        String withoutSlash = path.substring(1);
        return withoutSlash.endsWith("/")
                ? withoutSlash.substring(0, withoutSlash.length() - 1)
                : withoutSlash;
    }

    /**
     * Records, documents and sources that any text mentions by name must exist. Those that the
     * rules and their tests mention are made up; records and the changelog may mention sources that
     * were there once.
     */
    static List<Violation> mentions(Tree tree) {
        List<Violation> found = new ArrayList<>();
        for (SourceFile file : tree.texts()) {
            if (file.path().startsWith("tidy/src/")) {
                continue;
            }
            List<String> lines = file.lines();
            for (int i = 0; i < lines.size(); i++) {
                Matcher adr = ADR.matcher(lines.get(i));
                while (adr.find()) {
                    String prefix = "docs/adr/%04d-".formatted(Integer.parseInt(adr.group(1), 10));
                    if (tree.paths().stream().noneMatch(path -> path.startsWith(prefix))) {
                        found.add(new Violation(file.path(), i + 1, "no " + adr.group()));
                    }
                }
                for (Pattern kind : isHistory(file) ? List.of(DOCUMENT) : FILES) {
                    Matcher mentioned = kind.matcher(lines.get(i));
                    while (mentioned.find()) {
                        if (!tree.contains(mentioned.group())) {
                            found.add(new Violation(file.path(), i + 1, "no " + mentioned.group()));
                        }
                    }
                }
            }
        }
        return found;
    }

    private static boolean isHistory(SourceFile file) {
        return file.path().startsWith("docs/adr/") || file.path().equals("CHANGELOG.md");
    }

    /**
     * Packages and classes of Polder that a document names in {@code `code`} must exist, unless the
     * line says that they are planned. Records and the changelog tell history and are exempt.
     */
    static List<Violation> codeNames(Tree tree) {
        List<Violation> found = new ArrayList<>();
        tree.markdown()
                .filter(file -> !isHistory(file))
                .forEach(
                        file -> {
                            List<String> lines = Markdown.withoutFences(file);
                            for (int i = 0; i < lines.size(); i++) {
                                Matcher name = CODE_NAME.matcher(lines.get(i));
                                while (name.find()) {
                                    if (!lines.get(i).contains("planned")
                                            && !isInCode(tree, name.group(1))) {
                                        String problem = "not in the code: " + name.group(1);
                                        found.add(new Violation(file.path(), i + 1, problem));
                                    }
                                }
                            }
                        });
        return found;
    }

    /** Whether a name is a package, a type, or written out in a source, as names of events are. */
    private static boolean isInCode(Tree tree, String name) {
        String path = "/java/" + name.replace('.', '/');
        return tree.java()
                .anyMatch(
                        file ->
                                file.path().contains(path + "/")
                                        || file.path().endsWith(path + ".java")
                                        || file.text().contains("\"" + name + "\"")
                                        || file.text().contains("module " + name + " {"));
    }
}
