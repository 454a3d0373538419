package io.parley.advertisement;

import java.util.List;
import java.util.Objects;

/**
 * What an advertisement of a peer or a group says about one of its services (JXTA's {@code Svc}).
 *
 * @param moduleClass which service, by the id of its module class
 * @param parameters what only that service understands: an element by the name {@code Parm}
 */
public record ServiceParameters(AdvertisementId moduleClass, XmlElement parameters) {
    static final String PARAMETERS = "Parm";
    private static final String SERVICE = "Svc";

    /** Gives the parameters their name. */
    public ServiceParameters {
        Objects.requireNonNull(moduleClass, "moduleClass");
        parameters = parameters.withName(PARAMETERS);
    }

    /** A service whose parameters are these elements. */
    public static ServiceParameters of(AdvertisementId moduleClass, XmlElement... parameters) {
        return new ServiceParameters(moduleClass, XmlElement.of(PARAMETERS, parameters));
    }

    /** All services that a document tells of. */
    static List<ServiceParameters> readAll(XmlElement document) {
        return document.children(SERVICE).stream()
                .map(service -> new ServiceParameters(
                        service.requireId("MCID"),
                        service.child(PARAMETERS).orElseGet(() -> XmlElement.of(PARAMETERS))))
                .toList();
    }

    XmlElement document() {
        return XmlElement.builder(SERVICE)
                .add("MCID", moduleClass)
                .add(parameters)
                .build();
    }
}
