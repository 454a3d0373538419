package io.parley.pipes;

import io.parley.common.AsyncCloseable;
import io.parley.group.PeerGroup;
import io.parley.testkit.ManualScheduler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.function.Function;

/** A view of a real group whose services, such as requests, run in manual time. Its network runs in system time. */
public final class ManualTimeGroup {

    private ManualTimeGroup() {}

    public static PeerGroup of(PeerGroup group, ManualScheduler scheduler) {
        return (PeerGroup) Proxy.newProxyInstance(
                PeerGroup.class.getClassLoader(), new Class<?>[] {PeerGroup.class}, (proxy, method, arguments) -> {
                    switch (method.getName()) {
                        case "scheduler":
                            return scheduler;
                        case "extension":
                            return extension(group, (PeerGroup) proxy, (Class<?>) arguments[0], arguments[1]);
                        default:
                            try {
                                return method.invoke(group, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                    }
                });
    }

    /** The real group closes the extension, which sees the view. */
    @SuppressWarnings("unchecked")
    private static AsyncCloseable extension(PeerGroup group, PeerGroup view, Class<?> type, Object factory) {
        return group.extension(
                (Class<AsyncCloseable>) type, real -> ((Function<PeerGroup, AsyncCloseable>) factory).apply(view));
    }
}
