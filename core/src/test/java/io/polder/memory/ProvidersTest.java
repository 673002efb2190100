package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The rule by which the provider is chosen. */
class ProvidersTest {

    @Test
    @EnabledOnOs(OS.LINUX)
    void choose_thisMachine_isLinuxUnlessToldAndAlwaysTheSame() {
        boolean plain = "plain".equals(System.getProperty(Providers.PROPERTY));
        ProviderChoice choice = Providers.choose();
        assertThat(choice.provider().name()).isEqualTo(plain ? "plain" : "linux");
        if (!plain) {
            assertThat(choice.reason()).startsWith("Linux on ").endsWith(", native access");
        }
        assertThat(Providers.choose()).isSameAs(choice);
    }

    @Test
    void choose_otherSystemOrArchitecture_isPlain() {
        assertPlain("Mac OS X", "aarch64");
        assertPlain("Windows 11", "amd64");
        assertPlain("Linux", "riscv64");
    }

    @Test
    void choose_plainWanted_isPlainEverywhere() {
        ProviderChoice choice = Providers.choose("Linux", "amd64", "plain");
        assertThat(choice.provider().name()).isEqualTo("plain");
        assertThat(choice.nativeAccess()).isTrue();
        assertThat(choice.reason()).isEqualTo("-Dpolder.provider=plain");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void choose_otherValue_changesNothing() {
        assertThat(Providers.choose("Linux", "amd64", "fast").provider().name()).isEqualTo("linux");
    }

    @Test
    void complaint_otherValue_namesTheRuleAndTheValue() {
        assertThat(Providers.complaint("")).isNull();
        assertThat(Providers.complaint("plain")).isNull();
        assertThat(Providers.complaint("fast"))
                .isEqualTo(
                        "polder.provider must be plain, if it is set: value=fast;"
                                + " the provider of this system is used");
    }

    private static void assertPlain(String osName, String osArch) {
        ProviderChoice choice = Providers.choose(osName, osArch, "");
        assertThat(choice.provider().name()).isEqualTo("plain");
        assertThat(choice.reason())
                .isEqualTo(osName + " on " + osArch + " has no provider of its own");
    }
}
