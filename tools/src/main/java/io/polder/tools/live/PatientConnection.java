package io.polder.tools.live;

import io.polder.tools.attach.AttachException;
import io.polder.tools.attach.Patience;

import java.io.IOException;
import java.io.Serial;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

import javax.management.MBeanServerConnection;

/** A connection whose answers are waited for with {@link Patience}, whatever is asked. */
final class PatientConnection {
    private PatientConnection() {}

    /** There was no answer in time. The message is for the user. */
    static final class SilentException extends IOException {
        @Serial private static final long serialVersionUID = 1L;

        SilentException(AttachException why) {
            super(why.getMessage(), why);
        }
    }

    static MBeanServerConnection of(MBeanServerConnection connection, Patience patience) {
        return (MBeanServerConnection)
                Proxy.newProxyInstance(
                        PatientConnection.class.getClassLoader(),
                        new Class<?>[] {MBeanServerConnection.class},
                        (_, method, arguments) -> {
                            try {
                                return patience.ask(() -> method.invoke(connection, arguments));
                            } catch (InvocationTargetException thrown) {
                                throw thrown.getCause();
                            } catch (AttachException silent) {
                                throw new SilentException(silent);
                            }
                        });
    }
}
