package io.polder.tidy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class RepositoryTest {

    @Test
    void tree_repository_holdsSourcesAndNoBuildOutput() {
        assertThat(Repository.tree().paths())
                .contains("pom.xml", "polder", "core/src/main/java/module-info.java")
                .noneMatch(path -> path.contains("target/"));
        assertThat(Repository.tree().java().count()).isGreaterThan(10);
    }

    @Test
    void files_withoutGit_areFoundOnDisk(@TempDir Path root) throws IOException {
        Files.createDirectories(root.resolve("core/target"));
        Files.writeString(root.resolve("core/A.java"), "class A {}");
        Files.writeString(root.resolve("core/target/B.java"), "class B {}");
        assertThat(Repository.files(root)).containsExactly("core/A.java");
    }

    @Test
    void contains_fileOrDirectory_only() {
        Tree tree = Tree.of("docs/adr/A.md", "");
        assertThat(tree.contains("docs/adr")).isTrue();
        assertThat(tree.contains("docs/adr/A.md")).isTrue();
        assertThat(tree.contains("docs/ad")).isFalse();
    }
}
