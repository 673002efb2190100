package io.polder.tidy;

import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/**
 * What a repository of artifacts asks of the POMs: a module is published whole or not at all.
 *
 * <p>A module that sets {@code maven.deploy.skip} is not published. Every other one has a name and
 * a description of its own; what else is asked for, Javadoc among it, stands in the root, from
 * which modules inherit, and in the BOM, which inherits nothing. The BOM lists every published jar,
 * at the version of the root.
 *
 * <p>Documents name that version as well: of jars that are built here, and of what is to be
 * depended on, where that is not an earlier one that is no snapshot.
 */
final class PomRules {

    private static final String ROOT = "pom.xml";
    private static final String BOM = "bom/pom.xml";

    private static final String CHANGELOG = "CHANGELOG.md";
    private static final String SNAPSHOT = "-SNAPSHOT";

    /** A jar that is built here, what is depended on, or a snapshot, also of any version. */
    private static final Pattern NAMED =
            Pattern.compile(
                    "target/polder-[a-z*]+(?:-[a-z*]+)*-(?<built>\\d+(?:[.]\\d+)*(?:-SNAPSHOT)?)"
                            + "|<artifactId>polder[a-z-]*</artifactId>"
                            + "\\s*<version>(?<depended>[^<]*)</version>"
                            + "|(?<snapshot>(?:\\d+(?:[.]\\d+)*|[*])-SNAPSHOT)");

    /** What is inherited, or stands in each POM that has no parent. */
    private static final List<String> ABOUT =
            List.of(
                    "url",
                    "licenses/license/name",
                    "licenses/license/url",
                    "developers/developer/name",
                    "scm/connection",
                    "scm/developerConnection",
                    "scm/url");

    private final Tree tree;
    private final List<Violation> found = new ArrayList<>();

    private PomRules(Tree tree) {
        this.tree = tree;
    }

    static List<Violation> check(Tree tree) {
        PomRules rules = new PomRules(tree);
        rules.check();
        return rules.found;
    }

    private void check() {
        Element root = pom(ROOT);
        Element bom = pom(BOM);
        String version = text(root, "version").orElse("");
        Set<String> jars = new TreeSet<>();
        named(ROOT, root);
        if (!root.getTextContent().contains("maven-javadoc-plugin")) {
            report(ROOT, "makes no Javadoc");
        }
        for (Element module : children(child(root, "modules").orElseThrow())) {
            String path = module.getTextContent().strip() + "/pom.xml";
            Element pom = pom(path);
            String its = text(pom, "parent/version").or(() -> text(pom, "version")).orElse("");
            if (!its.equals(version)) {
                report(path, "is of version " + its + ", the root of " + version);
            }
            if (text(pom, "properties/maven.deploy.skip").isEmpty()) {
                named(path, pom);
                if (text(pom, "packaging").isEmpty()) {
                    jars.add(text(pom, "artifactId").orElse(path));
                }
            }
        }
        for (String about : ABOUT) {
            Optional<String> said = text(root, about);
            if (said.isEmpty()) {
                report(ROOT, "has no " + about);
            }
            if (!text(bom, about).equals(said)) {
                report(BOM, "has another " + about + " than the root");
            }
        }
        Set<String> listed = new TreeSet<>();
        child(bom, "dependencyManagement/dependencies").stream()
                .flatMap(dependencies -> children(dependencies).stream())
                .forEach(each -> text(each, "artifactId").ifPresent(listed::add));
        if (!listed.equals(jars)) {
            report(BOM, "lists " + listed + ", published are " + jars);
        }
        documents(version);
    }

    /** Whether documents name the version of the root. */
    private void documents(String version) {
        tree.markdown()
                .filter(file -> !file.path().equals(CHANGELOG))
                .forEach(
                        file -> {
                            Matcher named = NAMED.matcher(file.text());
                            while (named.find()) {
                                String depended = named.group("depended");
                                String its = depended == null ? other(named) : depended;
                                boolean isReleased =
                                        depended != null
                                                && version.endsWith(SNAPSHOT)
                                                && !its.endsWith(SNAPSHOT);
                                if (!its.equals(version) && !isReleased) {
                                    report(
                                            file.path(),
                                            "names version " + its + ", the root is " + version);
                                }
                            }
                        });
    }

    private static String other(Matcher named) {
        String built = named.group("built");
        return built == null ? named.group("snapshot") : built;
    }

    private void named(String path, Element pom) {
        for (String asked : List.of("name", "description")) {
            if (text(pom, asked).isEmpty()) {
                report(path, "has no " + asked);
            }
        }
    }

    private void report(String path, String message) {
        found.add(new Violation(path, 0, message));
    }

    private Element pom(String path) {
        String text =
                tree.texts().stream()
                        .filter(file -> file.path().equals(path))
                        .findFirst()
                        .orElseThrow(() -> new IllegalArgumentException("no " + path))
                        .text();
        try {
            Document document =
                    DocumentBuilderFactory.newDefaultInstance()
                            .newDocumentBuilder()
                            .parse(new InputSource(new StringReader(text)));
            return document.getDocumentElement();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (SAXException | ParserConfigurationException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    /** The text of the first element at {@code path}, if it has any. */
    private static Optional<String> text(Element from, String path) {
        return child(from, path)
                .map(element -> element.getTextContent().strip())
                .filter(text -> !text.isEmpty());
    }

    private static Optional<Element> child(Element from, String path) {
        Optional<Element> at = Optional.of(from);
        for (String name : path.split("/", -1)) {
            at =
                    at.flatMap(
                            element ->
                                    children(element).stream()
                                            .filter(each -> each.getNodeName().equals(name))
                                            .findFirst());
        }
        return at;
    }

    private static List<Element> children(Element of) {
        List<Element> children = new ArrayList<>();
        for (Node at = of.getFirstChild(); at != null; at = at.getNextSibling()) {
            if (at instanceof Element element) {
                children.add(element);
            }
        }
        return children;
    }
}
