package io.parley.bench.jxta;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.implementation.FixedValue;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * Lets JXTA 2.5 start on Java 9 and later.
 *
 * <p>Its {@code StdPeerGroup.isCompatible} compares the version of the package {@code java.lang}, which has none since
 * Java 9, and refuses every module. Here the class is defined, before anybody asks for it, with a method that returns
 * true. Nothing on the message path is touched.
 */
final class JavaNineGate {

    private static final String CLASS = "net.jxta.impl.peergroup.StdPeerGroup";
    private static final String NEIGHBOUR = "net.jxta.impl.peergroup.GenericPeerGroup";

    private JavaNineGate() {}

    /** Call once, before the first use of JXTA. */
    static void open() throws IOException, ReflectiveOperationException {
        ClassLoader loader = JavaNineGate.class.getClassLoader();
        try (ClassFileLocator locator = ClassFileLocator.ForClassLoader.of(loader)) {
            TypePool types = TypePool.Default.of(locator);
            byte[] patched = new ByteBuddy()
                    .redefine(types.describe(CLASS).resolve(), locator)
                    .method(ElementMatchers.named("isCompatible"))
                    .intercept(FixedValue.value(true))
                    .make()
                    .getBytes();
            Class<?> neighbour = Class.forName(NEIGHBOUR, false, loader);
            MethodHandles.privateLookupIn(neighbour, MethodHandles.lookup()).defineClass(patched);
        }
    }
}
