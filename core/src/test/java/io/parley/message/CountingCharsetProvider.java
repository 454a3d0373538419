package io.parley.message;

import java.nio.charset.Charset;
import java.nio.charset.spi.CharsetProvider;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A provider without charsets, which counts the searches of the JVM for names that it does not know itself. */
public final class CountingCharsetProvider extends CharsetProvider {

    static final AtomicInteger SEARCHES = new AtomicInteger();

    @Override
    public Iterator<Charset> charsets() {
        return Collections.emptyIterator();
    }

    @Override
    public @Nullable Charset charsetForName(String name) {
        SEARCHES.incrementAndGet();
        return null;
    }
}
