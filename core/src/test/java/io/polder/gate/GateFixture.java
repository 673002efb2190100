package io.polder.gate;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

/** A gate of each kind, and threads that end with the test: nobody may be inside then. */
@ParameterizedClass
@EnumSource(GateUnderTest.class)
abstract class GateFixture {
    final Gate gate;
    final Scopes scopes;
    private final List<ScriptedThread> threads = new ArrayList<>();

    GateFixture(GateUnderTest kind) {
        gate = kind.create();
        scopes = new Scopes(gate);
    }

    final ScriptedThread platform() {
        return ending(ScriptedThread.platform());
    }

    final ScriptedThread virtual() {
        return ending(ScriptedThread.virtual());
    }

    private ScriptedThread ending(ScriptedThread thread) {
        threads.add(thread);
        return thread;
    }

    @AfterEach
    @Timeout(300)
    final void nobodyIsInside() {
        threads.forEach(ScriptedThread::close);
        GateCheck.verifyEmpty(gate);
    }
}
