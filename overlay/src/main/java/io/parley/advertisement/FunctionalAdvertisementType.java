package io.parley.advertisement;

import java.util.function.Function;

/** An advertisement type of two functions. */
record FunctionalAdvertisementType<T extends Advertisement>(
        String name, Class<T> advertisementClass, Function<XmlElement, T> reader, Function<T, XmlElement> writer)
        implements AdvertisementType<T> {
    @Override
    public T read(XmlElement document) {
        return reader.apply(document);
    }

    @Override
    public XmlElement write(T advertisement) {
        return writer.apply(advertisement);
    }
}
