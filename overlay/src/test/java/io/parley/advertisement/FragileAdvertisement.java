package io.parley.advertisement;

import java.util.List;
import java.util.function.BooleanSupplier;

/** An advertisement of a user-defined type that fails when a test wants it. */
public record FragileAdvertisement(String key) implements Advertisement {

    private static final String TYPE = "Fragile";

    /** Returns a codec whose type of this advertisement fails to encode it while {@code fails} is true. */
    public static AdvertisementCodec codec(BooleanSupplier fails) {
        AdvertisementType<FragileAdvertisement> type = AdvertisementType.of(
                TYPE,
                FragileAdvertisement.class,
                document -> new FragileAdvertisement(document.text()),
                advertisement -> write(advertisement, fails));
        return new AdvertisementCodec(AdvertisementTypeRegistry.builtIn().with(type), AdvertisementLimits.DEFAULTS);
    }

    private static XmlElement write(FragileAdvertisement advertisement, BooleanSupplier fails) {
        if (fails.getAsBoolean()) {
            throw new IllegalStateException("cannot be encoded (of the test)");
        }
        return XmlElement.ofText(TYPE, advertisement.key());
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public List<AdvertisementAttribute> attributes() {
        return List.of();
    }
}
