package io.polder.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * A JVM that denies native access: the choice falls on the plain provider, and it keeps the
 * contract without one restricted call. What is in its memory nobody can see there.
 */
@Tag("native-access-denied")
class NativeAccessDeniedTest extends MemoryProviderContract {

    @Override
    MemoryProvider create() {
        return Providers.choose().provider();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void choose_denied_isPlainAndNamesTheFlag() {
        ProviderChoice choice = Providers.choose();
        assertThat(NativeAccess.isAllowed()).isFalse();
        assertThat(choice.provider().name()).isEqualTo("plain");
        assertThat(choice.reason())
                .startsWith("native access is denied: start Java with --enable-native-access=");
    }
}
