import kiln
# tag::ramp[]
kiln.ramp(120)  # <1>
# end::ramp[]
