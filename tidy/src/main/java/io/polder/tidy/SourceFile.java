package io.polder.tidy;

import java.util.List;

/** A text file: its path from the root of the repository, with slashes, and its text. */
record SourceFile(String path, String text) {

    List<String> lines() {
        return text.lines().toList();
    }

    boolean isJava() {
        return path.endsWith(".java");
    }

    boolean isMarkdown() {
        return path.endsWith(".md");
    }

    boolean isTest() {
        return path.contains("/src/test/");
    }

    /** Whether the file is production code of the library itself. */
    boolean isCoreMain() {
        return path.startsWith("core/src/main/");
    }

    /** Whether the file is written by hand and has no format that forbids a rule about spaces. */
    boolean isHandwritten() {
        String name = path.substring(path.lastIndexOf('/') + 1);
        if (name.contains(".min.")) {
            return false;
        }
        int dot = name.lastIndexOf('.');
        String extension = dot < 0 ? "" : name.substring(dot + 1);
        return switch (extension) {
            case "java", "md", "xml", "sh", "properties", "yml", "yaml", "toml" -> true;
            case "gitignore", "editorconfig", "config", "pml", "html", "js", "css" -> true;
            case "" -> text.startsWith("#!");
            default -> false;
        };
    }
}
