package io.polder.tools.html;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;

/** What is built into every page: the library as it was published, and our own. */
class AssetsTest {
    /** Of the files in the package uplot 1.6.32 of the npm registry. */
    private static final String PLOT_SCRIPT_SHA256 =
            "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f";

    private static final String PLOT_STYLE_SHA256 =
            "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04";

    @Test
    void library_isAsItWasPublished() throws Exception {
        assertThat(sha256(Assets.PLOT_SCRIPT)).isEqualTo(PLOT_SCRIPT_SHA256);
        assertThat(sha256(Assets.PLOT_STYLE)).isEqualTo(PLOT_STYLE_SHA256);
        assertThat(Assets.read(Assets.PLOT_SCRIPT)).contains("uPlot (v1.6.32)");
        assertThat(Assets.PLOT_SCRIPT).contains("1.6.32");
        assertThat(Assets.PLOT_STYLE).contains("1.6.32");
    }

    @Test
    void licence_isComplete() {
        assertThat(Assets.read(Assets.PLOT_LICENCE))
                .contains("The MIT License (MIT)", "Copyright (c) 2022 Leon Sorokin")
                .contains("The above copyright notice and this permission notice shall be");
    }

    /** Inside an element, only its own end ends it. */
    @Test
    void scripts_doNotEndTheirElements() {
        List<String> scripts = new ArrayList<>(Assets.SCRIPTS);
        scripts.add(Assets.PLOT_SCRIPT);
        for (String name : scripts) {
            assertThat(Assets.read(name)).as(name).doesNotContain("</script", "<!--");
        }
        for (String name : List.of(Assets.STYLE, Assets.PLOT_STYLE)) {
            assertThat(Assets.read(name)).as(name).doesNotContain("</style");
        }
    }

    private static String sha256(String name) throws IOException, NoSuchAlgorithmException {
        try (InputStream in =
                Objects.requireNonNull(Assets.class.getResourceAsStream(name), name)) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(in.readAllBytes());
            return HexFormat.of().formatHex(digest);
        }
    }
}
